import type { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import { createCallId } from './tool-calls.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Called for each piece of an answer, with its unchecked count of tokens: it costs also if it breaks off. */
type OnPiece = (usage: unknown) => void;

/**
 * Reads a response into one completion: a stream of chunks, or the plain JSON of an endpoint that ignores `stream`.
 */
export async function readCompletion(response: Response, client: OpenAI, onPiece: OnPiece): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (PAGE_TYPES.test(type)) {
    await response.body?.cancel();
    throw new UnusableResponseError('wrong-content-type', `content type ${type.slice(0, 60)}`);
  }
  try {
    const stream = Stream.fromSSEResponse<unknown>(response, new AbortController(), client);
    const isPlain = JSON_TYPES.test(type);
    const completion = isPlain ? parseJson(await response.text()) : await mergeChunks(stream, onPiece);
    onPiece(isRecord(completion) ? completion['usage'] : null);
    return withCallIds(completion);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableResponseError('unreadable-answer', error.message);
    throw error;
  }
}

/**
 * A completion whose calls all have an id: results are matched with calls by it. vLLM, llama.cpp and others leave it
 * out in some modes, and want to get one back.
 */
function withCallIds(completion: unknown): unknown {
  const choice = isRecord(completion) && Array.isArray(completion['choices']) ? completion['choices'][0] : null;
  const message = isRecord(choice) ? choice['message'] : null;
  if (!isRecord(completion) || !isRecord(message) || !Array.isArray(message['tool_calls'])) return completion;
  const calls = message['tool_calls'].map((call: unknown) =>
    isRecord(call) && isUnset(call['id']) ? { ...call, id: createCallId() } : call,
  );
  return { ...completion, choices: [{ ...choice, message: { ...message, tool_calls: calls } }] };
}

/** Merges the chunks of a stream into a completion as an endpoint sends it without streaming. */
async function mergeChunks(chunks: AsyncIterable<unknown>, onPiece: OnPiece): Promise<unknown> {
  let message: unknown = {};
  let finishReason: unknown = null;
  let usage: unknown;
  let isEmpty = true;
  for await (const chunk of chunks) {
    if (!isRecord(chunk)) continue;
    isEmpty = false;
    // Some endpoints count anew in each chunk, so the last count is the whole one.
    usage = chunk['usage'] ?? usage;
    onPiece(usage);
    const choice = firstChoice(chunk);
    message = mergeDelta(message, choice['delta'] ?? choice['message']);
    finishReason = choice['finish_reason'] ?? finishReason;
  }
  if (isEmpty) throw new UnusableResponseError('unreadable-answer', 'the stream has no chunk');
  if (typeof finishReason !== 'string') throw new UnusableResponseError('cut-off', 'the stream ended in mid-answer');
  return { choices: [{ message, finish_reason: finishReason }], usage };
}

type JsonObject = Readonly<Record<string, unknown>>;

function firstChoice(chunk: JsonObject): JsonObject {
  const choices: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
  const found = choices.find((choice) => isRecord(choice) && (choice['index'] ?? 0) === 0);
  return isRecord(found) ? found : {};
}

/** Members that name or label something. Endpoints repeat them in each delta, so they replace instead of adding up. */
const LABELS: ReadonlySet<string> = new Set(['format', 'id', 'index', 'name', 'object', 'role', 'type']);

/**
 * The value after a delta: texts are concatenated, objects are merged by member, and elements of lists by their
 * `index`. Null adds nothing. The package's own merging knows only its own members, and loses thoughts.
 */
export function mergeDelta(whole: unknown, delta: unknown): unknown {
  if (delta === null || delta === undefined) return whole;
  if (typeof whole === 'string' && typeof delta === 'string') return whole + delta;
  if (Array.isArray(delta)) return delta.reduce(mergeElement, Array.isArray(whole) ? whole : []);
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

function mergeElement(list: readonly unknown[], element: unknown): readonly unknown[] {
  const at = list.findLastIndex((one) => isSameElement(one, element));
  return at === -1 ? [...list, element] : list.with(at, mergeDelta(list[at], element));
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
