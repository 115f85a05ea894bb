import { APIConnectionError, APIError } from 'openai';
import { ModelError, type ModelFailure } from '../../core/state/ports.ts';
import { ForeignOriginError, RedirectError, ResponseTooLargeError } from '../../lib/guard-fetch.ts';
import { endpointWords, type SentRequest } from './endpoint-words.ts';

type ErrorMeaning = {
  readonly kind: ModelError['kind'];
  readonly failure: ModelFailure['failure'];
  readonly message: string;
};

/** Published messages by status. They never quote the endpoint, because its message can contain the key. */
const ERRORS_BY_STATUS: Readonly<Record<number, ErrorMeaning>> = {
  400: permanentError(
    'bad-request',
    'The model endpoint rejects the request; the operator should check `OPENAI_MODEL` and the endpoint.',
  ),
  401: permanentError(
    'key-rejected',
    'The model endpoint rejects the key; the operator should check `OPENAI_API_KEY`.',
  ),
  402: permanentError('no-quota', 'The model endpoint asks for payment; the operator should check its account.'),
  403: permanentError(
    'access-denied',
    'The model endpoint denies access; the operator should check what `OPENAI_API_KEY` may use.',
  ),
  404: permanentError(
    'not-found',
    'The model or its endpoint does not exist; the operator should check `OPENAI_MODEL` and `OPENAI_BASE_URL`.',
  ),
  408: transientError('timeout', 'The model endpoint timed out.'),
  409: transientError('endpoint-failing', 'The model endpoint was busy with a conflicting request.'),
  413: permanentError('too-long', 'The conversation is too large for the model endpoint.'),
  429: transientError('rate-limit', 'The model endpoint limits how fast it may be asked.'),
};

/** Published messages by error code, which is more specific than the status. */
const ERRORS_BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  insufficient_quota: permanentError(
    'no-quota',
    'The account at the model endpoint has no quota left; the operator should check it.',
  ),
  context_length_exceeded: permanentError('too-long', 'The conversation has become longer than the model can read.'),
};

/** Converts any error of a request. Cause and report, which are for the log, contain neither the key nor the request. */
export function toModelError(error: unknown, now: number, sent: SentRequest): ModelError {
  if (error instanceof ModelError) return error;
  const refused = refusedResponse(error);
  if (refused !== null) return createError(refused, null, null, { cause: null, said: null });
  const words = endpointWords(messageOf(error), sent);
  const quoted = { cause: new Error(`${error instanceof Error ? error.name : 'Error'}: ${words}`), said: words };
  if (error instanceof APIConnectionError || !(error instanceof APIError) || error.status === undefined)
    return createError(UNREACHABLE, null, null, quoted);
  const meaning = ERRORS_BY_CODE[error.code ?? ''] ?? ERRORS_BY_STATUS[error.status] ?? errorForStatus(error.status);
  const retryAt = meaning.kind === 'transient' ? parseRetryAfter(error.headers, now) : null;
  return createError(meaning, error.status, retryAt, quoted);
}

/** The error of a response that is no Chat Completions reply. */
export function unreadableResponseError(): ModelError {
  return createError(UNREADABLE, 200, null, { cause: null, said: null });
}

/** The error of a request without a complete response in time. */
export function timeoutError(timeoutMs: number): ModelError {
  const message = `The model did not answer within ${Math.ceil(timeoutMs / 1000)} seconds.`;
  return createError(transientError('timeout', message), null, null, { cause: null, said: null });
}

const UNREACHABLE = transientError('unreachable', 'The model endpoint could not be reached.');

const UNREADABLE = transientError(
  'unreadable-answer',
  'The model endpoint answered in a form that is no Chat Completions reply.',
);

/** What the endpoint said; null if it said nothing. */
type Quoted = { readonly cause: Error | null; readonly said: string | null };

function createError(
  { kind, failure, message }: ErrorMeaning,
  status: number | null,
  retryAt: number | null,
  { cause, said }: Quoted,
): ModelError {
  return new ModelError(kind, message, retryAt, {
    ...(cause === null ? {} : { cause }),
    report: { failure, status, said },
  });
}

/** The meaning of a response that was refused; a retry would get the same one. Null for other errors. */
function refusedResponse(error: unknown): ErrorMeaning | null {
  if (error instanceof ResponseTooLargeError)
    return permanentError('unreadable-answer', 'The model endpoint answered with more than 16 MB.');
  const cause = error instanceof APIConnectionError ? error.cause : null;
  return cause instanceof ForeignOriginError || cause instanceof RedirectError
    ? permanentError(
        'redirected',
        'The model endpoint redirects to another address; the operator should check `OPENAI_BASE_URL`.',
      )
    : null;
}

function errorForStatus(status: number): ErrorMeaning {
  return status >= 500
    ? transientError('endpoint-failing', 'The model endpoint is failing.')
    : permanentError(
        'bad-request',
        `The model endpoint refuses the request (${status}); the operator should check its settings.`,
      );
}

/** The endpoint's own message; without a response, the cause that the network gave. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof APIError && error.status !== undefined) return error.message.replace(/^\d{3} /, '');
  let deepest: Error = error;
  for (let depth = 0; depth < MAX_CAUSES && deepest.cause instanceof Error; depth += 1) deepest = deepest.cause;
  return deepest.message;
}

const MAX_CAUSES = 5;

function parseRetryAfter(headers: Headers | undefined, now: number): number | null {
  const millis = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (millis >= 0) return now + millis;
  const after = headers?.get('retry-after');
  if (after === null || after === undefined) return null;
  const seconds = Number(after);
  if (seconds >= 0) return now + seconds * 1000;
  const time = Date.parse(after);
  return Number.isNaN(time) ? null : time;
}

function transientError(failure: ModelFailure['failure'], message: string): ErrorMeaning {
  return { kind: 'transient', failure, message };
}

function permanentError(failure: ModelFailure['failure'], message: string): ErrorMeaning {
  return { kind: 'permanent', failure, message };
}
