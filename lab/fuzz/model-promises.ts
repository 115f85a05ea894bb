import { strict as assert } from 'node:assert';
import { Readable } from 'node:stream';
import { UnusableResponseError } from '../../src/adapters/model/error-meanings.ts';
import { createDeltaMerger } from '../../src/adapters/model/merge-delta.ts';
import { MAX_OPAQUE_BYTES, readOpaqueMembers } from '../../src/adapters/model/opaque-members.ts';
import { readEvents } from '../../src/adapters/model/server-sent-events.ts';
import { parseResponse } from '../../src/adapters/model/wire-format.ts';
import { tryParseJson } from '../../src/cli/explain/read-delivery.ts';
import { parseCall } from '../../src/core/agent/tools/parse-call.ts';
import { TOOL_NAMES } from '../../src/core/state/tools.ts';
import { isRecord } from '../../src/lib/trust.ts';
import { jsonOf } from './mutate.ts';

/** The readers of a response. */
export const RESPONSE_READERS = { parseResponse, readOpaqueMembers, createDeltaMerger };

/** Where the fuzzed responses come from. */
const MODEL_ADDRESS = { model: 'm', endpoint: 'https://models.example/v1' };

/** A longer text is cut, with a note. */
const MAX_EXACT_CHARACTERS = 200_000;

/** A response is invalid or gives its own text and calls, never two of one id; its other members are bounded. */
export function checkModelResponse(text: string, readers = RESPONSE_READERS): void {
  const body = tryParseJson(text);
  checkOpaqueMembers(body, readers);
  checkMerge(body, readers);
  const response = readers.parseResponse(body);
  if (response === null) return;
  const message = firstMessage(body);
  const calls = listOf(message['tool_calls']);
  const written = message['content'] || message['refusal'] || null;
  if (String(written).length <= MAX_EXACT_CHARACTERS) assert.equal(response.content, written);
  assert.deepEqual(response.toolCalls, calls.map(toCall));
  for (const call of response.toolCalls) parseCall(call);
  if (calls.length > 0)
    assert.equal(readers.parseResponse(withCalls([...calls, ...calls])), null, 'two calls of one id');
}

/** The members that nobody here reads are kept as they are, or refused as too large. */
function checkOpaqueMembers(body: unknown, readers: typeof RESPONSE_READERS): void {
  const read = (unread: object) =>
    readers.readOpaqueMembers({ choices: [{ message: { ...firstMessage(body), ...unread } }] }, MODEL_ADDRESS);
  const reading = readers.readOpaqueMembers(body, MODEL_ADDRESS);
  const size = reading.kind === 'kept' ? JSON.stringify(reading.opaque).length : 0;
  assert.ok(size < 2 * MAX_OPAQUE_BYTES, `${size} characters are kept`);
  const signed = read({ signature: 'c2ln' });
  if (signed.kind === 'kept') assert.equal(signed.opaque.message['signature'], 'c2ln');
  assert.notEqual(signed.kind, 'none');
  assert.equal(read({ signature: 'x'.repeat(MAX_OPAQUE_BYTES) }).kind, 'too-large');
}

function firstMessage(body: unknown): Readonly<Record<string, unknown>> {
  const [choice] = isRecord(body) ? listOf(body['choices']) : [];
  return isRecord(choice) && isRecord(choice['message']) ? choice['message'] : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toCall(call: unknown): unknown {
  const { id, function: called } = isRecord(call) ? call : {};
  return isRecord(called) ? { id, name: called['name'], arguments: called['arguments'] } : { id };
}

function withCalls(calls: readonly unknown[]): unknown {
  return { choices: [{ message: { content: null, tool_calls: calls } }] };
}

/** A merged answer is JSON again, or an error that a retry can mend. A text in pieces becomes that text. */
function checkMerge(body: unknown, readers: typeof RESPONSE_READERS): void {
  const merge = (deltas: readonly unknown[]): unknown => {
    const merger = readers.createDeltaMerger();
    for (const delta of deltas) merger.add(delta);
    return merger.value();
  };
  try {
    JSON.stringify(merge([body, body]));
  } catch (error) {
    assert.ok(error instanceof UnusableResponseError, String(error));
  }
  const content = JSON.stringify(body) ?? '';
  const half = content.length >>> 1;
  const pieces = [content.slice(0, half), content.slice(half)];
  const deltas = pieces.map((content) => ({ content, tool_calls: [{ index: 0, function: { arguments: content } }] }));
  assert.deepEqual(merge(deltas), { content, tool_calls: [{ index: 0, function: { arguments: content } }] });
}

/** A stream has the events of its text, however its bytes are divided into pieces. */
export async function checkEventStream(text: string, read: typeof readEvents = readEvents): Promise<void> {
  const bytes = Buffer.from(text);
  for (const size of [bytes.length, Math.ceil(bytes.length / 40), 1]) {
    const start = bytes.subarray(0, MAX_PIECES * size);
    const events: object[] = [];
    for await (const event of read(Readable.from(piecesOf(start, size)))) events.push(event);
    assert.deepEqual(events, eventsIn(start.toString()), `in pieces of ${size} bytes`);
  }
}

/** Each piece costs a turn of the event loop. */
const MAX_PIECES = 300;

function piecesOf(bytes: Buffer, size: number): readonly Buffer[] {
  const count = size === 0 ? 0 : Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** The events of a text: groups of lines between blank ones, with the values of their known fields. */
function eventsIn(text: string): readonly object[] {
  const blocks = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/);
  return blocks.flatMap((block) => {
    const values = (field: string): readonly string[] =>
      block.split('\n').flatMap((line) => {
        if (line === field) return [''];
        return line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [];
      });
    const [name, data] = [values('event').at(-1) ?? null, values('data')];
    return name === null && data.length === 0 ? [] : [{ name, data: data.join('\n') }];
  });
}

/** Arguments give a call of the same tool with the texts as written, or a refusal that quotes little of them. */
export function checkToolArguments(text: string, parse: typeof parseCall = parseCall): void {
  const written = jsonOf(text);
  for (const name of TOOL_NAMES) {
    const parsed = parse({ name, arguments: text });
    if (parsed.kind === 'refused') {
      assert.ok(parsed.output.length < 3_000, `a refusal of ${parsed.output.length} characters`);
      continue;
    }
    assert.equal(parsed.call.tool, name);
    if (text.trim() === '') continue;
    assert.ok(isRecord(written));
    for (const [key, value] of Object.entries(parsed.call))
      if (typeof value === 'string' && key !== 'tool' && key !== 'reason')
        assert.equal(value, written[key] ?? value, key);
    for (const [key, value] of Object.entries({ unknown_option: 'x', ...written }))
      assert.equal(parse({ name, arguments: withMember(text, key, value) }).kind, 'refused', `with ${key} as well`);
  }
}

/** An object's text with one more member: an unknown one, or one that it has already. */
function withMember(text: string, key: string, value: unknown): string {
  return text.replace(/^([\s\uFEFF]*\{)(\s*\}?)/, (_, open: string, next: string) => {
    const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    return next.endsWith('}') ? `${open}${member}${next}` : `${open}${member},${next}`;
  });
}
