import type { SendRequest } from '../../lib/guard-fetch.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import type { JsonObject } from './model-wire.ts';

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
