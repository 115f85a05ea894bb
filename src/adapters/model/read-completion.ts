import { randomUUID } from 'node:crypto';
import type { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import { isUnset, mergeDelta } from './merge-delta.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Called for each piece of a streamed answer, with its unchecked count of tokens: it costs also if it breaks off. */
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
    return withCallIds(isPlain ? parseJson(await response.text()) : await mergeChunks(stream, onPiece));
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

/** The templates of Mistral's models take ids of exactly nine letters and digits. */
const ID_CHARACTERS = 9;

function createCallId(): string {
  return randomUUID().replaceAll('-', '').slice(0, ID_CHARACTERS);
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
