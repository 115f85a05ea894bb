import { APIError } from 'openai';

/** Why an answer ended that failed, in the words of several endpoints, with the error that others answer with. */
const FAILURES: readonly (readonly [RegExp, { readonly status: number; readonly code?: string }])[] = [
  [/context_window|context_length|model_length/, { status: 400, code: 'context_length_exceeded' }],
  [/sensitive|safety|prohibited|blocklist|recitation|policy/, { status: 400, code: 'content_filter' }],
  [/error|fail|network|insufficient|overload|unavailable|timeout|abort|cancel|malformed/, { status: 500 }],
];

/** The words of some endpoints for a limit of length. */
const LENGTH = /^max_(?:output_|completion_|new_)?tokens$/;

/**
 * The finish reason of an answer in OpenAI's words, as far as they have one for it; null if there is none. Throws the
 * error that a reason stands for if it means failure, whatever was said before.
 */
export function readFinishReason(written: unknown): string | null {
  if (typeof written !== 'string' || written === '') return null;
  const reason = written.toLowerCase();
  if (LENGTH.test(reason)) return 'length';
  const found = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  if (found === undefined) return reason;
  const message = `the answer ended with "${reason}"`;
  throw new APIError(found.status, { message, code: found.code ?? null }, undefined, new Headers());
}
