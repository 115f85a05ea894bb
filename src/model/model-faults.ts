import { APIConnectionError, APIError } from 'openai';
import { ModelFault } from '../worker/ports.ts';

type Kind = ModelFault['kind'];
type Meaning = { readonly kind: Kind; readonly message: string };

/** What the operator should look at, by status. Nothing that the endpoint said is repeated: it may quote the key. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  400: lasting('The model endpoint rejects the request; the operator should check `OPENAI_MODEL` and the endpoint.'),
  401: lasting('The model endpoint rejects the key; the operator should check `OPENAI_API_KEY`.'),
  402: lasting('The model endpoint asks for payment; the operator should check its account.'),
  403: lasting('The model endpoint denies access; the operator should check what `OPENAI_API_KEY` may use.'),
  404: lasting(
    'The model or its endpoint does not exist; the operator should check `OPENAI_MODEL` and `OPENAI_BASE_URL`.',
  ),
  408: passing('The model endpoint timed out.'),
  409: passing('The model endpoint was busy with a conflicting request.'),
  413: lasting('The conversation is too large for the model endpoint.'),
  429: passing('The model endpoint limits how fast it may be asked.'),
};

/** Codes that say more than their status. */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  insufficient_quota: lasting('The account at the model endpoint has no quota left; the operator should check it.'),
  context_length_exceeded: lasting('The conversation has become longer than the model can read.'),
};

/** Everything that can go wrong in a request, as a `ModelFault`; `secret` is cut out of what is kept for the log. */
export function toModelFault(error: unknown, now: number, secret: string | null): ModelFault {
  if (error instanceof ModelFault) return error;
  if (error instanceof APIConnectionError || !(error instanceof APIError) || error.status === undefined) {
    return new ModelFault('passing', 'The model endpoint could not be reached.', null, { cause: noted(error, secret) });
  }
  const { kind, message } = BY_CODE[error.code ?? ''] ?? BY_STATUS[error.status] ?? byClass(error.status);
  const retryAt = kind === 'passing' ? retryTime(error.headers, now) : null;
  return new ModelFault(kind, message, retryAt, { cause: noted(error, secret) });
}

function byClass(status: number): Meaning {
  return status >= 500
    ? passing('The model endpoint is failing.')
    : lasting(`The model endpoint refuses the request (${status}); the operator should check its settings.`);
}

function retryTime(headers: Headers | undefined, now: number): number | null {
  const millis = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (millis >= 0) return now + millis;
  const after = headers?.get('retry-after');
  if (after === null || after === undefined) return null;
  const seconds = Number(after);
  if (seconds >= 0) return now + seconds * 1000;
  const time = Date.parse(after);
  return Number.isNaN(time) ? null : time;
}

/** For the operator's log: what was said, without the key, whole or in part as endpoints like to quote it. */
function noted(error: unknown, secret: string | null): Error {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const whole = secret === null || secret === '' ? said : said.replaceAll(secret, '[key]');
  return new Error(whole.replace(/\bsk-[\w*.-]+/g, '[key]').slice(0, 500));
}

function passing(message: string): Meaning {
  return { kind: 'passing', message };
}

function lasting(message: string): Meaning {
  return { kind: 'lasting', message };
}
