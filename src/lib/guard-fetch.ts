/** Sends a request, like the global `fetch`. */
export type SendRequest = (address: string | URL | Request, options?: RequestInit) => Promise<Response>;

type FetchLimits = {
  /** Origins such as `https://api.github.com`. Requests and redirects to others are refused. */
  readonly origins: readonly string[];
  /** Maximum size of a response's body, after decompression. */
  readonly maxBytes: number;
};

/** The request, or a redirect of it, leads to an origin that is not allowed. Nothing was sent there. */
export class ForeignOriginError extends Error {
  constructor(origin: string) {
    super(`the address leads to ${origin}, which is not allowed`);
    this.name = 'ForeignOriginError';
  }
}

/** A redirect without an address, one of too many, or one that would turn a write into a read. */
export class RedirectError extends Error {
  constructor() {
    super('the response is a redirect that cannot be followed');
    this.name = 'RedirectError';
  }
}

/** The response's body is larger than allowed. The rest was not read. */
export class ResponseTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`the response has more than ${maxBytes} bytes`);
    this.name = 'ResponseTooLargeError';
  }
}

const MAX_REDIRECTS = 5;

/** Limits `send` to these origins, and its responses to this size. A request can keep a redirect as its answer. */
export function guardFetch(send: SendRequest, { origins, maxBytes }: FetchLimits): SendRequest {
  return async (address, options = {}) => {
    let url = requireOrigin(new URL(address instanceof Request ? address.url : address), origins);
    let request: RequestInit = { ...options, redirect: 'manual' };
    let response = await send(address, request);
    for (let redirects = 0; options.redirect !== 'manual' && isRedirect(response); redirects += 1) {
      const target = redirectTarget(url, response, request.method ?? 'GET');
      if (target === null || redirects === MAX_REDIRECTS) throw new RedirectError();
      const next = requireOrigin(target, origins);
      if (next.origin !== url.origin) request = withoutCredentials(request);
      await response.body?.cancel();
      url = next;
      response = await send(url, request);
    }
    return limitBody(response, maxBytes);
  };
}

function requireOrigin(url: URL, origins: readonly string[]): URL {
  if (!origins.includes(url.origin)) throw new ForeignOriginError(url.origin);
  return url;
}

const ANY_METHOD_REDIRECTS: readonly number[] = [307, 308];

const READ_REDIRECTS: readonly number[] = [301, 302, 303, ...ANY_METHOD_REDIRECTS];

function isRedirect({ status }: Response): boolean {
  return READ_REDIRECTS.includes(status);
}

/** Null if the redirect must not be followed: for a write, the other statuses would turn it into a GET. */
function redirectTarget(base: URL, { status, headers }: Response, method: string): URL | null {
  const isRead = method === 'GET' || method === 'HEAD';
  const location = headers.get('location');
  if (location === null || !(isRead ? READ_REDIRECTS : ANY_METHOD_REDIRECTS).includes(status)) return null;
  return URL.canParse(location, base.href) ? new URL(location, base.href) : null;
}

function withoutCredentials(request: RequestInit): RequestInit {
  const headers = new Headers(request.headers);
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  return { ...request, headers };
}

/** Makes the body of a response fail with a `ResponseTooLargeError` beyond the limit. */
function limitBody(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let received = 0;
  const limiter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.byteLength;
      if (received > maxBytes) controller.error(new ResponseTooLargeError(maxBytes));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers, url } = response;
  const limited = new Response(response.body.pipeThrough(limiter), { status, statusText, headers });
  return Object.defineProperty(limited, 'url', { value: url });
}
