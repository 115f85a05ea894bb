import type { Gateway } from './gateway.ts';
import type { WireRequest, WireResponse } from './wire.ts';

type Options = {
  readonly method?: string | undefined;
  readonly headers?: RequestInit['headers'] | undefined;
  readonly body?: unknown;
  readonly redirect?: string | undefined;
  readonly signal?: AbortSignal | null | undefined;
};

/**
 * A `fetch` that asks a gateway without a socket, for simulations that own every step. A cut line
 * rejects like a network failure, silence lasts until the signal aborts, redirects are followed.
 */
export function gatewayFetch(gateway: Gateway): (input: string | URL, options?: Options) => Promise<Response> {
  return async (input, options = {}) => {
    const url = new URL(input);
    const headers = Object.fromEntries(new Headers(options.headers ?? {}));
    const { method = 'GET', signal } = options;
    const request = { method, target: `${url.pathname}${url.search}`, headers, body: bytesOf(options.body) };
    const response = await ask(gateway, request, signal ?? undefined);
    const location = response.headers['location'];
    if (response.status === 302 && location !== undefined && options.redirect !== 'manual') {
      return gatewayFetch(gateway)(location, { redirect: 'follow', signal });
    }
    return toResponse(response);
  };
}

async function ask(gateway: Gateway, request: WireRequest, signal: AbortSignal | undefined): Promise<WireResponse> {
  signal?.throwIfAborted();
  const exchange = gateway.exchange(request);
  switch (exchange.kind) {
    case 'cut':
      throw new TypeError('fetch failed');
    case 'silence':
      return aborted(signal);
    case 'answer':
      if (exchange.until !== null) await Promise.race([exchange.until, aborted(signal)]);
      if (exchange.truncated) throw new TypeError('terminated');
      return exchange.response;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return typeof body === 'string' ? Buffer.from(body) : new Uint8Array();
}

function toResponse({ status, headers, body }: WireResponse): Response {
  const hasBody = status !== 204 && status !== 302 && status !== 304;
  return new Response(hasBody ? Buffer.from(body) : null, { status, headers: { ...headers } });
}
