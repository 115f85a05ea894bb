import { APIError } from 'openai';
import { isRecord } from '../../lib/trust.ts';

/** Why an answer ended that failed: the words of several endpoints, with the error that others answer with. */
const FAILURES: readonly (readonly [RegExp, { readonly status: number; readonly code?: string }])[] = [
  [/context_window|context_length|model_length/, { status: 400, code: 'context_length_exceeded' }],
  [/sensitive|safety|prohibited|blocklist|recitation|policy/, { status: 400, code: 'content_filter' }],
  [/error|fail|network|insufficient|overload|unavailable|timeout|abort|cancel|malformed/, { status: 503 }],
];

/** The words of some endpoints for a limit of length. */
const LENGTH = /^max_(?:output_|completion_|new_)?tokens$/;

const KNOWN: ReadonlySet<string> = new Set(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);

/**
 * The finish reason of an answer in OpenAI's words, as far as they have one for it; null if there is none. Throws
 * what the endpoint says instead of an answer: an `error` beside an unknown reason, or a reason that means failure.
 */
export function readFinishReason(written: unknown, error: unknown): string | null {
  const reason = typeof written === 'string' && written !== '' ? written.toLowerCase() : null;
  if (reason !== null && KNOWN.has(reason)) return reason;
  if (isRecord(error)) throw new APIError(undefined, error, undefined, new Headers());
  if (typeof error === 'string' && error !== '') throw failure(500, error);
  if (reason === null) return null;
  if (LENGTH.test(reason)) return 'length';
  const found = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  if (found !== undefined) throw failure(found.status, `the answer ended with "${reason}"`, found.code);
  return String(written);
}

function failure(status: number, message: string, code: string | null = null): APIError {
  return new APIError(status, { message, code }, undefined, new Headers());
}
