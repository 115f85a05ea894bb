import { type Dispatcher, getGlobalDispatcher, fetch as send } from 'undici';
import type { SendRequest } from '../../lib/guard-fetch.ts';
import { asUndiciOptions } from '../../lib/trust.ts';

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
