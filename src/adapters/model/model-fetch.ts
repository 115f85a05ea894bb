import type { SendRequest } from '../../lib/guard-fetch.ts';
import { asUndiciOptions } from '../../lib/trust.ts';

/**
 * Creates a `fetch` without time limits of its own: the global one gives up after 300 s without headers or without a
 * byte, and models can think longer. It sends through the process's dispatcher, so that a proxy stays in use.
 */
export function createPatientFetch(): SendRequest {
  return async (address, options) => {
    if (address instanceof Request) throw new TypeError('a request must be sent as its address and options');
    // Loaded late: a start needs less time and memory without it.
    const { getGlobalDispatcher, fetch } = await import('undici');
    const dispatcher = getGlobalDispatcher().compose(
      (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
    );
    return fetch(address, { ...asUndiciOptions(options), dispatcher });
  };
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

/** Starts to watch one request, which ends if it takes too long or falls silent. Silence counts from the first byte on, because models can think for long. */
export function startWatchdog({ timeoutMs, idleTimeoutMs }: TimeLimits) {
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
    /** Null as long as it has not bitten. */
    bite: () => bite,
    /** A piece of the answer came. */
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
