import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DeliveryEvent } from '../../core/step/ports.ts';
import { withTimeout } from '../../lib/delay.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { createFault, type Fault } from '../telemetry/fault.ts';
import { isKnownFault, type Logger } from '../telemetry/log.ts';
import type { RefusalLog, RefusedWebhook } from './refused-webhooks.ts';
import { RESPONSES, type RequestHandler, type RouteResponse } from './server.ts';

/** Handles a delivery. Resolves after it is stored, and rejects if it is not. */
export type DeliverEvent = (event: DeliveryEvent) => Promise<void>;

type WebhookOptions = {
  /** Each secret is accepted. */
  readonly secrets: readonly string[];
  readonly deliver: DeliverEvent;
  readonly log: Logger;
  readonly logRefusal: RefusalLog;
  /** Timeout for storing a delivery; default 9 s, because GitHub waits 10 s for the response. */
  readonly timeoutMs?: number;
};

/** Memory that all large bodies share. */
const MAX_LARGE_BODY_BYTES = 100 * 1024 * 1024;

/**
 * Creates the handler of GitHub's webhooks. It checks the headers before it reads the body, and the signature before it
 * parses the body.
 */
export function createWebhookHandler(options: WebhookOptions): RequestHandler {
  const memoryQuota = createMemoryQuota(MAX_LARGE_BODY_BYTES);
  const refuse = (cause: RefusedWebhook, response: RouteResponse): RouteResponse => {
    options.logRefusal(cause);
    return response;
  };
  const fault = createFault({ level: 'error', message: 'delivery not stored' });
  return async (request: IncomingMessage, sendContinue: () => void) => {
    const signature = request.headers['x-hub-signature-256'];
    if (declaresTooLarge(request)) return refuse('body-too-large', RESPONSES.tooLarge);
    if (typeof signature !== 'string' || !isSignature(signature)) return refuse('no-signature', RESPONSES.unsigned);
    const headers = parseDeliveryHeaders(request.headers);
    if (typeof headers === 'string') return refuse(headers, RESPONSES.malformed);
    sendContinue();
    const body = await readBody(request, memoryQuota);
    if (body.kind === 'too-large') return refuse('body-too-large', RESPONSES.tooLarge);
    if (body.kind === 'memory-exhausted') return refuse('too-many-large-bodies', RESPONSES.unavailable);
    if (!isSignedBy(options.secrets, body.bytes, signature)) return refuse('wrong-signature', RESPONSES.unsigned);
    const payload = parseDeliveryPayload(body.bytes);
    if (payload === null) return refuse('body-not-json', RESPONSES.malformed);
    return deliverEvent({ ...headers, payload }, options, fault);
  };
}

/** Id and event name of a delivery. The signature does not cover these headers. */
type DeliveryHeaders = { readonly id: string; readonly name: string };

type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const ID_PATTERN = /^[A-Za-z0-9-]{1,64}$/;

const NAME_PATTERN = /^[a-z_*]{1,64}$/;

const JSON_TYPE_PATTERN = /^application\/json\s*(?:;|$)/i;

/** GitHub's other content type of webhooks. */
const FORM_TYPE_PATTERN = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

function headerMatching(value: string | readonly string[] | undefined, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null;
}

/** The delivery id and event name, or why they cannot be read. */
function parseDeliveryHeaders(headers: RawHeaders): DeliveryHeaders | RefusedWebhook {
  if (headerMatching(headers['content-type'], FORM_TYPE_PATTERN) !== null) return 'content-type-form';
  if (headerMatching(headers['content-type'], JSON_TYPE_PATTERN) === null) return 'content-type-other';
  const id = headerMatching(headers['x-github-delivery'], ID_PATTERN);
  const name = headerMatching(headers['x-github-event'], NAME_PATTERN);
  return id === null || name === null ? 'headers-missing' : { id, name };
}

function isEventPayload(value: unknown): value is DeliveryEvent['payload'] {
  return isRecord(value) && (value['action'] === undefined || typeof value['action'] === 'string');
}

/** The payload; null unless the body is UTF-8 with a JSON object whose `action`, if any, is a string. */
function parseDeliveryPayload(bytes: Uint8Array): DeliveryEvent['payload'] | null {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isEventPayload(value) ? value : null;
  } catch {
    return null;
  }
}

const SIGNATURE_PATTERN = /^sha256=[0-9a-f]{64}$/;

/** Whether the header has the form of a signature. This is checked before the body is read. */
function isSignature(header: string | undefined): header is string {
  return header !== undefined && SIGNATURE_PATTERN.test(header);
}

/** Whether the signature fits these bytes and one of the secrets. */
function isSignedBy(secrets: readonly string[], bytes: Uint8Array, signature: string): boolean {
  const actual = Buffer.from(signature);
  return secrets.some((secret) => {
    const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  });
}

const DELIVERY_TIMEOUT_MS = 9_000;

/** During an outage every delivery fails in the same way, so known faults get one line a minute. */
async function deliverEvent(event: DeliveryEvent, options: WebhookOptions, fault: Fault): Promise<RouteResponse> {
  try {
    const timeoutMs = options.timeoutMs ?? DELIVERY_TIMEOUT_MS;
    await withTimeout(options.deliver(event), timeoutMs, 'storing the delivery timed out');
    return RESPONSES.accepted;
  } catch (error) {
    const fields = { delivery: event.id, event: event.name };
    if (isKnownFault(error)) fault.failed(options.log, error, fields);
    else options.log.error({ ...fields, err: error }, 'delivery not stored');
    return RESPONSES.unavailable;
  }
}

/** GitHub sends payloads of up to 25 MB. */
export const MAX_REQUEST_BODY_BYTES = 25 * 1024 * 1024;

/** Memory that each request can use without a reservation. A typical delivery has 20 kB. */
const UNRESERVED_BODY_BYTES = 256 * 1024;

/** Whether the `content-length` exceeds the maximum. */
function declaresTooLarge(request: IncomingMessage): boolean {
  return Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BODY_BYTES;
}

type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** Too many large bodies at once. */
  | { readonly kind: 'memory-exhausted' };

/**
 * Reads a body up to the maximum. Rejects if the sender disconnects. The rest of a larger body stays in the socket, so
 * that the response can be sent. An async iterator instead of listeners would make a delivery 5 % slower.
 */
function readBody(request: IncomingMessage, memoryQuota: MemoryQuota): Promise<RequestBody> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestBody>();
  const chunks: Buffer[] = [];
  let length = 0;
  let reserved = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    const needed = length <= UNRESERVED_BODY_BYTES ? 0 : chunk.length;
    const refused =
      length > MAX_REQUEST_BODY_BYTES ? 'too-large' : memoryQuota.reserve(needed) ? null : 'memory-exhausted';
    if (refused === null) {
      reserved += needed;
      chunks.push(chunk);
      return;
    }
    request.off('data', onData);
    request.pause();
    resolve({ kind: refused });
  };
  request.on('data', onData);
  request.once('end', () => resolve({ kind: 'bytes', bytes: Buffer.concat(chunks, length) }));
  request.once('error', reject);
  request.once('close', () => {
    if (!request.complete) reject(new Error('the sender disconnected'));
  });
  return promise.finally(() => memoryQuota.release(reserved));
}

/** Memory (bytes) that the large bodies of all requests share. It bounds the memory that unsigned requests can use. */
type MemoryQuota = { reserve(bytes: number): boolean; release(bytes: number): void };

function createMemoryQuota(size: number): MemoryQuota {
  let free = size;
  return {
    reserve(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    release(bytes) {
      free += bytes;
    },
  };
}
