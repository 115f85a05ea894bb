import type { ModelError, ModelFailureKind } from '../../core/step/model-port.ts';

/** The meaning of a failure. The message is published, so it never quotes the endpoint: its words can hold the key. */
export type ErrorMeaning = {
  readonly kind: ModelError['kind'];
  readonly failure: ModelFailureKind;
  readonly message: string;
};

const KEY_REJECTED = permanentError(
  'key-rejected',
  'The model endpoint rejects the key; the operator should check `OPENAI_API_KEY`.',
);

const MODEL_UNKNOWN = permanentError(
  'model-unknown',
  'The model endpoint does not know the model; the operator should check `OPENAI_MODEL`.',
);

const NO_QUOTA = permanentError(
  'no-quota',
  'The account at the model endpoint has no quota left; the operator should check it.',
);

const TOO_LONG = permanentError('too-long', 'The conversation has become longer than the model can read.');

const FILTERED = permanentError(
  'filtered',
  'The content filter of the model endpoint rejects the conversation, so the task needs other words or files.',
);

const BY_STATUS: Readonly<Record<number, ErrorMeaning>> = {
  400: permanentError(
    'bad-request',
    'The model endpoint rejects the request; the operator should check `OPENAI_MODEL` and the endpoint.',
  ),
  401: KEY_REJECTED,
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

/** By error code or type, which is more specific than the status. */
const BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  insufficient_quota: NO_QUOTA,
  invalid_api_key: KEY_REJECTED,
  authentication_error: KEY_REJECTED,
  model_not_found: MODEL_UNKNOWN,
  DeploymentNotFound: MODEL_UNKNOWN,
  context_length_exceeded: TOO_LONG,
  exceed_context_size_error: TOO_LONG,
  content_filter: FILTERED,
  content_policy_violation: FILTERED,
};

/** The words of refusals of a conversation that is too long, which can name the limit of the answer too. */
export const TOO_LONG_WORDS =
  /context (?:size|window|length|limit)|maximum (?:model|prompt) length|prompt is too long|input token count/i;

/** The words of refusals, for endpoints without codes. Only statuses that refuse the request are read like this. */
const BY_WORDS: readonly (readonly [RegExp, ErrorMeaning])[] = [
  [TOO_LONG_WORDS, TOO_LONG],
  [/api key not valid|(?:invalid|incorrect) api key/i, KEY_REJECTED],
  [/credit balance|insufficient balance/i, NO_QUOTA],
  [/\bmodel\b.{0,120}(?:not found|not exist|is not a valid model)|not a valid model/i, MODEL_UNKNOWN],
];

const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422]);

/** The endpoint's answer, as far as it tells the kind of failure. */
type RefusedRequest = {
  readonly status: number;
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
};

/** The meaning of an answer with an error: by its code, then its words, then its status. */
export function meaningOf({ status, code, type, message }: RefusedRequest): ErrorMeaning {
  const byCode = BY_CODE[code ?? ''] ?? BY_CODE[type ?? ''];
  if (byCode !== undefined) return byCode;
  const byWords = REFUSING_STATUSES.has(status) ? BY_WORDS.find(([words]) => words.test(message)) : undefined;
  return byWords?.[1] ?? BY_STATUS[status] ?? meaningOfOtherStatus(status);
}

function meaningOfOtherStatus(status: number): ErrorMeaning {
  return status >= 500
    ? transientError('endpoint-failing', 'The model endpoint is failing.')
    : permanentError(
        'bad-request',
        `The model endpoint refuses the request (${status}); the operator should check its settings.`,
      );
}

export function transientError(failure: ModelFailureKind, message: string): ErrorMeaning {
  return { kind: 'transient', failure, message };
}

export function permanentError(failure: ModelFailureKind, message: string): ErrorMeaning {
  return { kind: 'permanent', failure, message };
}

/** A response that is no Chat Completions reply. A retry might get one. */
export class UnusableResponseError extends Error {
  readonly flaw: 'cut-off' | 'wrong-content-type' | 'unreadable-answer';
  constructor(flaw: UnusableResponseError['flaw'], message: string) {
    super(message);
    this.name = 'UnusableResponseError';
    this.flaw = flaw;
  }
}
