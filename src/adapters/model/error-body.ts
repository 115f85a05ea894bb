import type { SendRequest } from '../../lib/guard-fetch.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** The same requests, whose errors have OpenAI's form. The SDK reads no other, and would lose their words. */
export function withPlainErrors(send: SendRequest): SendRequest {
  return async (address, options) => {
    const response = await send(address, options);
    if (response.ok) return response;
    const { status, headers } = response;
    return new Response(plainError(await response.text()), { status, headers });
  };
}

/** Gemini's endpoint puts an error into a list, and servers made with FastAPI put it under `detail` or nowhere. */
function plainError(text: string): string {
  const body = jsonOrNull(text);
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
