import { APIConnectionError, APIError } from 'openai';
import type { TokenUsage } from '../../core/state/conversation.ts';
import { ModelError, type ModelFailure } from '../../core/step/model-port.ts';
import { redact } from '../../lib/credentials.ts';
import { ForeignOriginError, RedirectError, ResponseTooLargeError, type SendRequest } from '../../lib/guard-fetch.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import {
  type ModelErrorMeaning,
  meaningOf,
  permanentError,
  transientError,
  UnusableResponseError,
} from './error-meanings.ts';
import type { JsonObject } from './model-wire.ts';

/** Converts any error of a request. Cause and report, which are for the log, do not contain the key. */
export function toModelError(error: unknown, now: number, apiKey: string | null): ModelError {
  if (error instanceof ModelError) return error;
  const refused = refusedResponse(error);
  if (refused !== null) return createError(refused, NO_ANSWER);
  const words = endpointWords(messageOf(error), apiKey);
  const said = { said: words, cause: new Error(`${error instanceof Error ? error.name : 'Error'}: ${words}`) };
  if (error instanceof UnusableResponseError)
    return createError(UNUSABLE[error.flaw], { ...NO_ANSWER, ...said, status: 200 });
  if (!(error instanceof APIError) || error instanceof APIConnectionError)
    return createError(UNREACHABLE, { ...NO_ANSWER, ...said });
  const answer = {
    ...said,
    // An error within a stream comes with status 200.
    status: error.status ?? statedStatus(error.error),
    code: labelOf(error.code, apiKey),
    type: labelOf(error.type, apiKey),
    requestId: labelOf(error.requestID, apiKey),
  };
  const meaning = meaningOf({ ...answer, message: error.message });
  const retryAt = meaning.kind === 'transient' ? parseRetryAfter(error, now) : null;
  return createError(meaning, answer, retryAt);
}

/** A copy of the error with the cost of its answer, if the endpoint told it. */
export function withUsage(error: ModelError, usage: TokenUsage | null): ModelError {
  const { kind, message, retryAt, report, cause } = error;
  return new ModelError(kind, message, retryAt, { report, usage, cause });
}

/** Why a watchdog ended a request: silence in the middle of an answer, or no answer after so many ms. */
export type WatchdogBite = { readonly kind: 'stalled' } | { readonly kind: 'timeout'; readonly afterMs: number };

/** The error of a request that the watchdog ended. */
export function watchdogError(bite: WatchdogBite): ModelError {
  const message =
    bite.kind === 'stalled'
      ? 'The model endpoint fell silent in the middle of its answer.'
      : `The model did not answer within ${Math.ceil(bite.afterMs / 1000)} seconds.`;
  return createError(transientError(bite.kind, message), NO_ANSWER);
}

const UNREACHABLE = transientError('unreachable', 'The model endpoint could not be reached.');

const UNUSABLE: Readonly<Record<UnusableResponseError['flaw'], ModelErrorMeaning>> = {
  'cut-off': transientError('cut-off', 'The model endpoint broke off in the middle of its answer.'),
  'wrong-content-type': transientError(
    'wrong-content-type',
    'The model endpoint answers with a web page; the operator should check `OPENAI_BASE_URL`.',
  ),
  'unreadable-answer': transientError(
    'unreadable-answer',
    'The model endpoint answered in a form that its API does not have.',
  ),
};

/** The endpoint's answer, for the log. */
type Answer = Omit<ModelFailure, 'failure'> & { readonly cause: Error | null };

const NO_ANSWER: Answer = { status: null, code: null, type: null, requestId: null, said: null, cause: null };

function createError(
  { kind, failure, message }: ModelErrorMeaning,
  { cause, ...answer }: Answer,
  retryAt: number | null = null,
): ModelError {
  const report = { failure, ...answer };
  return new ModelError(kind, message, retryAt, cause === null ? { report } : { cause, report });
}

/** The meaning of a response that was refused; a retry would get the same one. Null for other errors. */
function refusedResponse(error: unknown): ModelErrorMeaning | null {
  const cause = error instanceof APIConnectionError ? error.cause : error;
  if (cause instanceof ResponseTooLargeError)
    return permanentError('unreadable-answer', 'The model endpoint answered with more than 16 MB.');
  return cause instanceof ForeignOriginError || cause instanceof RedirectError
    ? permanentError(
        'redirected',
        'The model endpoint redirects to another address; the operator should check `OPENAI_BASE_URL`.',
      )
    : null;
}

const LABEL = /^[\w.:/-]{1,80}$/;

/** A code, type or id; anything else that the endpoint sends there, such as the key, is not for the log. */
function labelOf(value: unknown, apiKey: string | null): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && LABEL.test(text) && endpointWords(text, apiKey) === text ? text : null;
}

const MAX_CHARACTERS = 500;

/** An endpoint's words for the log: one line of at most 500 characters, without the key. */
function endpointWords(text: string, apiKey: string | null): string {
  const line = redact(apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[key]'))
    .replace(/\bsk-[\w*.-]+/g, '[key]')
    // Some endpoints quote the key with its middle masked. A start within a word would take quadratic time.
    .replace(/(?<![\w-])[\w-]*\*{3,}[\w*-]*/g, '[key]')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line;
}

/** The endpoint's own message; without a response, the cause that the network gave. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return error.message.replace(/^\d{3} /, '');
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}

/**
 * An endpoint may put off the next request by one hour at most (ms), so that its slip does not park a run for years.
 */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** When the endpoint wants to be asked again (ms); null if it gives no time. The store needs whole milliseconds. */
function parseRetryAfter({ headers, error }: APIError, now: number): number | null {
  const after = headers?.get('retry-after') ?? 'none';
  const millis = Number(headers?.get('retry-after-ms') ?? 'none');
  const delays = [millis, Number(after) * 1000, Math.max(Date.parse(after) - now, 0), delayInWords(error)];
  const delay = delays.find((ms) => Number.isFinite(ms) && ms >= 0);
  return delay === undefined ? null : now + Math.ceil(Math.min(delay, MAX_RETRY_AFTER_MS));
}

/** `"retryDelay":"38s"`, as Gemini has it, or `try again in 15m43.776s`. */
const DELAY = /(?:again|retry|wait)\D{0,20}((?:\d+(?:\.\d+)?\s?(?:ms|[hms])[a-z]*\s?)+)/i;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The delay that an error asks for in its body (ms); NaN if it asks for none. */
function delayInWords(error: unknown): number {
  const [, words] = DELAY.exec(JSON.stringify(error ?? null)) ?? [];
  if (words === undefined) return Number.NaN;
  const parts = [...words.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s?(ms|[hms])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0);
}

/**
 * Gives errors OpenAI's form, because the SDK reads no other. They have their own status, or stand in a body with
 * status 200, in a choice, or in a stream. Tells of each piece of an answer.
 */
export function withPlainErrors(send: SendRequest, onBytes: () => void): SendRequest {
  return async (address, options) => {
    const response = await send(address, options);
    const { ok, status, headers, body } = response;
    if (!ok) {
      const error = plainError(readJson(await response.text()));
      return jsonResponse(JSON.stringify({ error }), status, headers);
    }
    if (body === null) return response;
    const observed = body.pipeThrough(observe(onBytes));
    if (STREAM_TYPE.test(headers.get('content-type') ?? ''))
      return new Response(observed.pipeThrough(withPlainEvents()), { status, headers });
    // Some endpoints call their JSON or their stream text.
    const text = await new Response(observed).text();
    const answer = readJson(text);
    if (typeof answer === 'string') return new Response(text.replace(EVENT_LINE, plainEvent), { status, headers });
    if (errorIn(answer) === null) return jsonResponse(text, status, headers);
    const error = plainError(answer);
    return jsonResponse(JSON.stringify({ error }), statedStatus(error), headers);
  };
}

const STREAM_TYPE = /^text\/event-stream\b/i;

function jsonResponse(text: string, status: number, headers: Headers): Response {
  const typed = new Headers(headers);
  typed.set('content-type', 'application/json');
  return new Response(text, { status, headers: typed });
}

function observe(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
}

/** A line of a stream that can hold an error. Old builds of llama.cpp send it as a field of its own. */
const EVENT_LINE = /^(data|error):\s*(\{.*)$/gm;

/** A stream whose errors have OpenAI's form, changed a line at a time. */
function withPlainEvents(): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let begun = '';
  return new TransformStream({
    transform(bytes, controller) {
      const text = decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) controller.enqueue(encoder.encode((begun + text.slice(0, end)).replace(EVENT_LINE, plainEvent)));
      begun = end > 0 ? text.slice(end) : begun + text;
    },
    flush(controller) {
      controller.enqueue(encoder.encode(begun.replace(EVENT_LINE, plainEvent)));
    },
  });
}

function plainEvent(line: string, field: string, text: string): string {
  if (field === 'data' && !text.includes('"error"')) return line;
  const event = readJson(text);
  return field === 'data' && errorIn(event) === null ? line : `data: ${JSON.stringify({ error: plainError(event) })}`;
}

/** The error in a body or event, or in its first choice; null for an answer. Gemini's endpoint puts it into a list. */
function errorIn(body: unknown): unknown {
  const found: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(found)) return null;
  const choice: unknown = Array.isArray(found['choices']) ? found['choices'][0] : null;
  const error = found['error'] || (isRecord(choice) ? errorInChoice(choice) : null);
  if (isRecord(error) || typeof error === 'string') return error;
  const isAnswer = ['choices', 'output', 'data'].some((name) => Array.isArray(found[name]));
  return !isAnswer && typeof (found['message'] ?? found['msg'] ?? found['detail']) === 'string' ? found : null;
}

const FILTERED = 'The endpoint filtered the answer.';

/** Azure leaves out the message that it filtered. */
function errorInChoice({ error, message, delta, finish_reason: end }: JsonObject): unknown {
  const isFiltered = end === 'content_filter' && !isRecord(message ?? delta);
  return isFiltered ? { code: 'content_filter', message: FILTERED, status: 400 } : error;
}

/** Some endpoints repeat the request in their error. */
const MAX_MESSAGE_CHARACTERS = 5_000;

/** The error as OpenAI would write it: its message has the words of the cause, and what names the quota or the rule. */
function plainError(body: unknown): JsonObject {
  const found = errorIn(body);
  const labels = typeof found === 'string' && isRecord(body) ? body : {};
  const error = innermost(readJson(found ?? body), MAX_DEPTH);
  const metadata = isRecord(error['metadata']) ? error['metadata'] : {};
  const details = listOf(error['details']).flatMap((detail) => listOf(isRecord(detail) ? detail['violations'] : null));
  const names = [...details.map((one) => (isRecord(one) ? one['quotaId'] : null)), ...listOf(metadata['reasons'])];
  const named = names.filter((name) => typeof name === 'string');
  const words = `${error['message']}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
  const type = error['type'] ?? metadata['error_type'];
  return { ...labels, ...error, type, message: words.slice(0, MAX_MESSAGE_CHARACTERS) };
}

/** Gateways before gateways. */
const MAX_DEPTH = 4;

/** An error with the words and labels of its cause: a gateway puts the provider's error into its own, often as text. */
function innermost(error: unknown, depth: number): JsonObject {
  const outer = isRecord(error) ? error : {};
  const metadata = isRecord(outer['metadata']) ? outer['metadata'] : {};
  const raw = readJson(metadata['raw']);
  const inner = [raw, ...[outer['error'], outer['message'], outer['detail']].map(readJson).filter(isRecord)].find(
    Boolean,
  );
  if (depth === 0 || inner === undefined) return { ...outer, message: wordsOf(error) };
  const cause = innermost(errorIn(inner) ?? inner, depth - 1);
  const labels = Object.fromEntries(Object.entries(cause).filter(([, value]) => value !== null && value !== undefined));
  const own = isRecord(readJson(outer['message'])) ? '' : (outer['message'] ?? '');
  const provider = typeof metadata['provider_name'] === 'string' ? ` (${metadata['provider_name']})` : '';
  const message = own === '' ? cause['message'] : `${own}${provider}: ${cause['message']}`;
  return { ...outer, ...labels, status: numericStatus(outer) ?? numericStatus(cause), message };
}

/** The words of an error without a cause in it; servers made with FastAPI put them under `detail`. */
function wordsOf(error: unknown): string {
  const { message, msg, detail } = isRecord(error) ? error : {};
  const words = message || msg || detail || error;
  return typeof words === 'string' ? words : JSON.stringify(words);
}

/** The status that an error states, or that its kind has. An error within an answer has no other. */
export function statedStatus(error: unknown): number {
  const labels = isRecord(error) ? error : {};
  const kind = `${labels['code']} ${labels['type']}`;
  const byKind = /rate_?limit/i.test(kind) ? 429 : /(?:invalid|bad)_?request/i.test(kind) ? 400 : 500;
  return numericStatus(labels) ?? byKind;
}

function numericStatus(labels: JsonObject): number | null {
  const stated = [labels['status'], labels['code'], labels['status_code'], labels['statusCode']].map(Number);
  return stated.find((status) => status >= 400 && status < 600) ?? null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** JSON that a text holds; else the value as it is. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
