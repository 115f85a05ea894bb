import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { APIError } from 'openai';
import { isDeeperThan } from '../../lib/json-depth.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { createCallSeparator } from './call-ids.ts';
import { MAX_BEGINNING, MAX_ERROR_DEPTH } from './error-body.ts';
import { UnusableResponseError } from './error-meanings.ts';
import { createDeltaMerger } from './merge-delta.ts';
import { readEvents } from './server-sent-events.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

export type ResponseObserver = {
  /** Called for each piece of the body. */
  readonly onBytes: () => void;
  /**
   * Called for each piece of a streamed answer, with its count of tokens so far, unchecked: it costs also if it breaks
   * off.
   */
  readonly onPiece: (usage: unknown) => void;
};

/**
 * Reads a response into one completion: a stream of chunks, or the plain JSON of an endpoint that ignores `stream`.
 */
export async function readCompletion(response: Response, { onBytes, onPiece }: ResponseObserver): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (PAGE_TYPES.test(type)) {
    await response.body?.cancel();
    throw new UnusableResponseError('wrong-content-type', `content type ${type.slice(0, 60)}`);
  }
  const observed = observeBody(response, onBytes);
  if (JSON_TYPES.test(type)) return parseJsonOr(await observed.text(), 'the body is not JSON');
  return mergeChunks(readChunks(observed), onPiece);
}

function observeBody(response: Response, onBytes: () => void): Response {
  if (response.body === null) return response;
  const observer = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(observer), { status, headers });
}

function parseJsonOr(text: string, flaw: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new UnusableResponseError('unreadable-answer', flaw);
  }
}

/** The chunks up to `[DONE]`. Rejects with the first error among them. */
async function* readChunks({ body, headers }: Response): AsyncIterable<unknown> {
  if (body === null) return;
  for await (const { name, data } of readEvents(body)) {
    if (data === '[DONE]') return;
    const chunk = parseJsonOr(data, 'a chunk is not JSON');
    const error = isRecord(chunk) ? chunk['error'] : null;
    if (name === 'error' || error) throw new APIError(undefined, errorBody(error ?? chunk, data), undefined, headers);
    yield chunk;
  }
}

function errorBody(error: unknown, data: string): object {
  return isRecord(error) && !isDeeperThan(error, MAX_ERROR_DEPTH) ? error : { message: data.slice(0, MAX_BEGINNING) };
}

/** Chunks that arrived together would otherwise be merged without a pause. */
const CHUNKS_PER_PAUSE = 200;

/** Merges the chunks of a stream into a completion as an endpoint sends it without streaming. */
export async function mergeChunks(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
  onPiece: (usage: unknown) => void = () => {},
): Promise<unknown> {
  const message = createDeltaMerger();
  const separateCalls = createCallSeparator();
  message.add({});
  let finishReason: unknown = null;
  let usage: unknown;
  let count = 0;
  for await (const chunk of chunks) {
    if (!isRecord(chunk)) continue;
    count += 1;
    if (count % CHUNKS_PER_PAUSE === 0) await yieldToEventLoop();
    // Some endpoints count anew in each chunk, so the last count is the whole one.
    usage = chunk['usage'] ?? usage;
    const choice = firstChoice(chunk);
    // An error within the stream is a chunk without a choice.
    if (chunk['choices'] !== undefined || usage !== undefined) onPiece(usage);
    message.add(separateCalls(choice['delta'] ?? choice['message']));
    finishReason = choice['finish_reason'] ?? finishReason;
  }
  if (count === 0) throw new UnusableResponseError('unreadable-answer', 'the stream has no chunk');
  if (typeof finishReason !== 'string') throw new UnusableResponseError('cut-off', 'the stream ended in mid-answer');
  return { choices: [{ message: message.value(), finish_reason: finishReason }], usage };
}

function firstChoice(chunk: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const choices: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
  const found = choices.find((choice) => isRecord(choice) && (choice['index'] ?? 0) === 0);
  return isRecord(found) ? found : {};
}
