import { APIConnectionError, APIError } from 'openai';
import type { TokenUsage } from '../../core/state/conversation.ts';
import { ModelError, type ModelFailure } from '../../core/step/model-port.ts';
import { ForeignOriginError, RedirectError, ResponseTooLargeError } from '../../lib/guard-fetch.ts';
import { redact } from '../../lib/redaction.ts';
import {
  type ModelErrorMeaning,
  meaningOf,
  permanentError,
  transientError,
  UnusableResponseError,
} from './error-meanings.ts';
import type { WatchdogBite } from './model-fetch.ts';
import { statedStatus } from './plain-errors.ts';

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
