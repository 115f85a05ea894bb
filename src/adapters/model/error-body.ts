import type { SendRequest } from '../../lib/guard-fetch.ts';
import { isDeeperThan } from '../../lib/json-depth.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** Gives the errors of requests OpenAI's form. The SDK reads no other, and would lose their words. */
export function withPlainErrors(send: SendRequest): SendRequest {
  return async (address, options) => {
    const response = await send(address, options);
    if (response.ok) return response;
    const { status, headers } = response;
    return new Response(plainError(await response.text()), { status, headers });
  };
}

/** Some endpoints repeat the request in their error. */
const MAX_ERROR_CHARACTERS = 1_000_000;

/** A deeper error is no error. */
export const MAX_ERROR_DEPTH = 100;

/** Of an error that is too long or too deep for one. */
export const MAX_BEGINNING = 5_000;

/** Gemini's endpoint puts an error into a list, and servers made with FastAPI put it under `detail` or nowhere. */
function plainError(text: string): string {
  if (text.length > MAX_ERROR_CHARACTERS) return text.slice(0, MAX_BEGINNING);
  const body = jsonOrNull(text);
  if (isDeeperThan(body, MAX_ERROR_DEPTH)) return text.slice(0, MAX_BEGINNING);
  const found: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(found)) return text;
  const { error, detail, message } = found;
  if (isRecord(error)) return JSON.stringify(found);
  const words = error ?? detail;
  if (words !== undefined && words !== null) return JSON.stringify({ error: { message: wordsOf(words) } });
  return typeof message === 'string' ? JSON.stringify({ error: found }) : text;
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
