import { randomUUID } from 'node:crypto';
import type { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { z } from 'zod';
import { MAX_ARGUMENT_CHARACTERS, type TokenUsage, type ToolCall } from '../../core/state/conversation.ts';
import { isReported } from '../../core/state/spending.ts';
import { readToolName } from '../../core/state/tools.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type { JsonObject } from './model-wire.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** The events of a stream, or the one object of an endpoint that ignores `stream`. */
export type AnswerBody =
  | { readonly kind: 'plain'; readonly json: unknown }
  | {
      readonly kind: 'stream';
      readonly events: AsyncIterable<unknown>;
      /** Whether `[DONE]` came, which says that the endpoint did not break off. */
      readonly isDone: () => boolean;
    };

/**
 * Reads a response's body with `read`. Throws `UnusableResponseError` for a web page and for broken JSON. Errors among
 * the events are thrown by the SDK, unless `mode` leaves them to `read`.
 */
export async function readAnswerBody<Answer>(
  response: Response,
  client: OpenAI,
  read: (body: AnswerBody) => Promise<Answer>,
  mode: 'legacy' | 'events' = 'legacy',
): Promise<Answer> {
  const type = response.headers.get('content-type') ?? '';
  if (PAGE_TYPES.test(type)) {
    await response.body?.cancel();
    throw new UnusableResponseError('wrong-content-type', `content type ${type.slice(0, 60)}`);
  }
  try {
    if (JSON_TYPES.test(type)) return await read({ kind: 'plain', json: parseJson(await response.text()) });
    const { watched, isDone } = watchForDone(response);
    const events = Stream.fromSSEResponse<unknown>(watched, new AbortController(), client, false, mode);
    return await read({ kind: 'stream', events, isDone });
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableResponseError('unreadable-answer', error.message);
    throw error;
  }
}

const DONE = /[\r\n]data: ?\[DONE\]/;

/** The SDK does not tell a stream that ended with `[DONE]` from one that broke off. */
function watchForDone({ body, headers, status }: Response) {
  let isDone = false;
  let tail = '\n';
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const text = `${tail}${Buffer.from(bytes).toString('latin1')}`;
      isDone ||= DONE.test(text);
      tail = text.slice(-20);
      controller.enqueue(bytes);
    },
  });
  const watched = new Response(body?.pipeThrough(watch) ?? null, { headers, status });
  return { watched, isDone: () => isDone };
}

/** More tokens than any model reads or writes at once. Such a count says nothing. */
const MAX_TOKENS = 100_000_000;

/** A count that makes no sense is none. */
const TokenCount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0).max(MAX_TOKENS))
  .catch(0);

/** The two APIs have other names for the same counts. */
function countOf(counted: JsonObject, ...names: readonly string[]): number {
  return names.map((name) => TokenCount.parse(counted[name])).find((count) => count > 0) ?? 0;
}

/** An endpoint's count of tokens; each is 0 where it counts none. */
export function parseUsage(counted: unknown): TokenUsage {
  const usage = isRecord(counted) ? counted : {};
  const inputTokens = countOf(usage, 'prompt_tokens', 'input_tokens');
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  return {
    inputTokens,
    // A part of the input, and never more.
    cachedInputTokens: Math.min(countOf(isRecord(details) ? details : {}, 'cached_tokens'), inputTokens),
    outputTokens: countOf(usage, 'completion_tokens', 'output_tokens'),
  };
}

/** An endpoint's count of tokens; null if it counts none. */
export function readUsage(counted: unknown): TokenUsage | null {
  const usage = parseUsage(counted);
  return isReported(usage) ? usage : null;
}

/** A call as its endpoint wrote it. */
export type WrittenCall = { readonly id?: unknown; readonly name?: unknown; readonly arguments?: unknown };

/** Maximum number of tool calls in a response. Each later request of the run contains them. */
export const MAX_ACCEPTED_TOOL_CALLS = 1_000;

/** Maximum length of a call's name as the model wrote it. */
const MAX_WRITTEN_NAME_CHARACTERS = 1_000;

/**
 * The calls of a response, one for each that is written. What is wrong with one of them stays its own slip, which the
 * model is told about: only its id is mended, because results are matched with calls by it.
 */
export function readCalls(written: readonly WrittenCall[]): readonly ToolCall[] {
  const ids = new Set<unknown>();
  return written.map(({ id, name, arguments: given }) => {
    const call = {
      id: isUsableId(id) && !ids.has(id) ? id : randomUUID().replaceAll('-', '').slice(0, ID_CHARACTERS),
      name: typeof name === 'string' ? name.slice(0, MAX_WRITTEN_NAME_CHARACTERS).toWellFormed() : '',
      arguments: truncateArguments(toArguments(given)),
    };
    ids.add(call.id);
    return call;
  });
}

/** Maximum length of a call's id. Some gateways put the signature of a thought into it, which has thousands. */
const MAX_ID_CHARACTERS = 32_768;

/** vLLM, llama.cpp and others leave the id out in some modes, and want to get one back. */
function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
}

/** The templates of Mistral's models take ids of exactly nine letters and digits. */
const ID_CHARACTERS = 9;

/** Endpoints write no arguments in several ways, and some send them as an object. */
function toArguments(given: unknown): string {
  if (given === null || given === undefined) return '{}';
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return text.trim() === '' ? '{}' : text;
}

/** The limit of the Chat Completions API. */
const MAX_NAME_CHARACTERS = 64;

/** Strict endpoints refuse a history with other names, such as `functions.read_file`. */
export function toWireName(name: string): string {
  return readToolName(name) ?? (name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS) || 'unnamed');
}

const MAX_MALFORMED_CHARACTERS = 200;

/** Whether arguments are no JSON object. Several endpoints refuse a history that contains such a call. */
export function areArgumentsBroken(text: string): boolean {
  try {
    return !isRecord(parseJson(text));
  } catch {
    return true;
  }
}

/** The arguments as valid JSON; the model recognizes the beginning of broken ones. */
export function toWireArguments(text: string): string {
  if (!areArgumentsBroken(text)) return text;
  if (text.trim() === '') return '{}';
  return JSON.stringify({ _malformed: text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed() });
}

/** The transcript needs no more of arguments that nobody reads than their beginning. */
function truncateArguments(text: string): string {
  if (text.length <= MAX_ARGUMENT_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed();
  return `${beginning} (cut here: the arguments had ${text.length} characters, at most ${MAX_ARGUMENT_CHARACTERS} are read)`;
}

/** Maximum length of a response in UTF-16 units. Each later request of the run contains the response. */
const MAX_CONTENT_CHARACTERS = 200_000;

/** The text of a response; one above its maximum length is cut, with a note. */
export function truncateContent(content: string | null): string | null {
  if (content === null || content.length <= MAX_CONTENT_CHARACTERS) return content;
  const truncated = content.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${truncated}\n\n(cut here: the answer had ${content.length} characters)`;
}
