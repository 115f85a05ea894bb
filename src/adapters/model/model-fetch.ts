import { type Dispatcher, getGlobalDispatcher, fetch as send } from 'undici';
import type { SendRequest } from '../../lib/guard-fetch.ts';
import { asUndiciOptions, isRecord, parseJson } from '../../lib/trust.ts';

/**
 * Creates a `fetch` without time limits of its own: the global one gives up after 300 s without headers or without a
 * byte, and models can think longer. It sends through the process's dispatcher, so that a proxy stays in use.
 */
export function createPatientFetch(): SendRequest {
  const dispatcher = getGlobalDispatcher().compose(withoutTimeLimits);
  return async (address, options) => {
    if (address instanceof Request) throw new TypeError('a request must be sent as its address and options');
    return send(address, { ...asUndiciOptions(options), dispatcher });
  };
}

function withoutTimeLimits(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
}

/** Gives the errors of requests OpenAI's form, because the SDK reads no other. Tells of each piece of an answer. */
export function withPlainErrors(send: SendRequest, onBytes: () => void): SendRequest {
  return async (address, options) => {
    const response = await send(address, options);
    const { ok, status, headers, body } = response;
    if (!ok) return new Response(plainError(await response.text()), { status, headers });
    const observer = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        onBytes();
        controller.enqueue(bytes);
      },
    });
    return new Response(body?.pipeThrough(observer) ?? null, { status, headers });
  };
}

/** Some endpoints repeat the request in their error. */
const MAX_MESSAGE_CHARACTERS = 5_000;

/** Gemini's endpoint puts an error into a list, and servers made with FastAPI put it under `detail` or nowhere. */
function plainError(text: string): string {
  const body = jsonOrNull(text);
  const found: unknown = Array.isArray(body) ? body[0] : body;
  if (isRecord(found) && isRecord(found['error'])) return JSON.stringify(found);
  const { error, detail, message } = isRecord(found) ? found : {};
  const words = error ?? detail ?? message ?? text;
  const written = typeof words === 'string' ? words : JSON.stringify(words);
  const labels = isRecord(found) ? found : {};
  return JSON.stringify({ error: { ...labels, message: written.slice(0, MAX_MESSAGE_CHARACTERS) } });
}

function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Why a watchdog ended a request: silence in the middle of an answer, or no answer after so many ms. */
export type WatchdogBite = { readonly kind: 'stalled' } | { readonly kind: 'timeout'; readonly afterMs: number };

/** Time limits of one request, in ms. */
export type TimeLimits = {
  /** Of the whole request. */
  readonly timeoutMs: number;
  /** Of silence within the answer. */
  readonly idleTimeoutMs: number;
};

/** Ends a request that takes too long or falls silent. */
type Watchdog = {
  /** Aborts when the watchdog bites. */
  readonly signal: AbortSignal;
  /** Null as long as it has not. */
  readonly bite: () => WatchdogBite | null;
  /** A piece of the answer came. */
  readonly onBytes: () => void;
  readonly stop: () => void;
};

/** Starts the watchdog of one request. Silence counts from the first byte on, because models can think for long. */
export function startWatchdog({ timeoutMs, idleTimeoutMs }: TimeLimits): Watchdog {
  const controller = new AbortController();
  let bite: WatchdogBite | null = null;
  const end = (reason: WatchdogBite): void => {
    bite ??= reason;
    controller.abort();
  };
  const whole = setTimeout(end, timeoutMs, { kind: 'timeout', afterMs: timeoutMs });
  let silence: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    bite: () => bite,
    onBytes: () => {
      clearTimeout(silence);
      silence = setTimeout(end, idleTimeoutMs, { kind: 'stalled' }).unref();
    },
    stop: () => {
      clearTimeout(whole);
      clearTimeout(silence);
    },
  };
}
