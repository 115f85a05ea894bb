import type { OpenAI } from 'openai';
import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type { JsonObject } from './model-wire.ts';
import { type AnswerBody, readAnswerBody } from './read-answer-body.ts';
import { areArgumentsBroken } from './tool-calls.ts';

/** Called for each piece of an answer, with its unchecked count of tokens: it costs also if it breaks off. */
type OnPiece = (usage: unknown) => void;

/** Reads a response into one completion, whether it is streamed or not. */
export function readCompletion(response: Response, client: OpenAI, onPiece: OnPiece): Promise<unknown> {
  return readAnswerBody(response, client, async (body) => {
    const completion = body.kind === 'plain' ? body.json : await mergeChunks(body, onPiece);
    onPiece(isRecord(completion) ? completion['usage'] : null);
    return completion;
  });
}

/** Merges the chunks of a stream into a completion as an endpoint sends it without streaming. */
async function mergeChunks({ events, isDone }: AnswerBody & { kind: 'stream' }, onPiece: OnPiece): Promise<unknown> {
  let message: unknown = {};
  let finishReason: unknown = null;
  let usage: unknown;
  let isEmpty = true;
  for await (const chunk of events) {
    if (!isRecord(chunk)) continue;
    isEmpty = false;
    // Some endpoints count anew in each chunk, so the last count is the whole one.
    usage = chunk['usage'] ?? usage;
    onPiece(usage);
    const { delta, message: whole, finish_reason: end } = firstChoice(chunk);
    message = mergeDelta(message, delta ?? whole);
    finishReason = isUnset(end) ? finishReason : end;
  }
  if (isEmpty) throw new UnusableResponseError('unreadable-answer', 'the stream has no chunk');
  if (typeof finishReason !== 'string' && !(isDone() && isWhole(message)))
    throw new UnusableResponseError('cut-off', 'the stream ended in mid-answer');
  return { choices: [{ message, finish_reason: finishReason }], usage };
}

/** Whether a message without a finish reason can be all that its model said. */
function isWhole(message: unknown): boolean {
  const { content, refusal, tool_calls: calls = [] }: JsonObject = isRecord(message) ? message : {};
  if (!Array.isArray(calls) || calls.some((call: unknown) => hasBrokenArguments(call))) return false;
  return calls.length > 0 || !isUnset(content) || !isUnset(refusal);
}

function hasBrokenArguments(call: unknown): boolean {
  const text = isRecord(call) && isRecord(call['function']) ? call['function']['arguments'] : null;
  return typeof text === 'string' && text !== '' && areArgumentsBroken(text);
}

function firstChoice(chunk: JsonObject): JsonObject {
  const choices: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
  const found = choices.find((choice) => isRecord(choice) && (choice['index'] ?? 0) === 0);
  return isRecord(found) ? found : {};
}

/** Members that name or label something. Endpoints repeat them in each delta, so they replace instead of adding up. */
const LABELS: ReadonlySet<string> = new Set(['format', 'id', 'index', 'name', 'object', 'role', 'type']);

/**
 * The value after a delta: texts are concatenated, objects are merged by member, and elements of lists by their
 * `index`. Null adds nothing. A text beside a list, as a content can be both, is one of its parts. The package's own
 * merging knows only its own members, and loses thoughts.
 */
export function mergeDelta(whole: unknown, delta: unknown): unknown {
  if (delta === null || delta === undefined) return whole;
  if (typeof whole === 'string' && typeof delta === 'string') return whole + delta;
  if (Array.isArray(delta)) return delta.reduce(mergeElement, toParts(whole));
  if (Array.isArray(whole) && typeof delta === 'string') return toParts(delta).reduce(mergeElement, whole);
  if (!isRecord(whole) || !isRecord(delta)) return delta;
  const members = new Map(Object.entries(whole));
  for (const [name, value] of Object.entries(delta)) {
    const before = members.get(name);
    // Some endpoints send an empty or null id or name in every delta but the first.
    const relabeled = isUnset(value) ? (before ?? value) : value;
    members.set(name, LABELS.has(name) ? relabeled : mergeDelta(before, value));
  }
  return Object.fromEntries(members);
}

function toParts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}

function mergeElement(list: readonly unknown[], element: unknown): readonly unknown[] {
  const at = continuesLastPart(list, element)
    ? list.length - 1
    : list.findLastIndex((one) => isSameElement(one, element));
  return at === -1 ? [...list, element] : list.with(at, mergeDelta(list[at], element));
}

/** Parts of a content have no index, and come in pieces too. */
function continuesLastPart(list: readonly unknown[], piece: unknown): boolean {
  const last = list.at(-1);
  if (!isRecord(last) || !isRecord(piece) || piece['type'] !== last['type']) return false;
  return isUnset(piece['index']) && (piece['type'] === 'text' || piece['type'] === 'thinking');
}

/** Some endpoints count several calls or kinds of thoughts with one index; their ids or types tell them apart. */
function isSameElement(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || typeof other['index'] !== 'number') return false;
  const isSameLabel = (name: string): boolean =>
    isUnset(one[name]) || isUnset(other[name]) || one[name] === other[name];
  return one['index'] === other['index'] && isSameLabel('id') && isSameLabel('type');
}

/** Whether a label says nothing: some endpoints send an empty or null one in place of none. */
function isUnset(label: unknown): boolean {
  return label === undefined || label === null || label === '';
}
