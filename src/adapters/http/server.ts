import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { withTimeout } from '../../lib/delay.ts';
import { errorCodeOf, KnownFaultError } from '../../lib/outage.ts';
import { createFault, type Logger } from '../telemetry/log.ts';
import type { Counter, Metrics } from '../telemetry/metrics.ts';

/** A response of a route. Bodies are made of constant words, so they never reveal more than one word of a cause. */
export type RouteResponse = { readonly status: number; readonly body: string; readonly contentType?: string };

export const RESPONSES = {
  accepted: { status: 202, body: 'accepted\n' },
  alive: { status: 200, body: 'alive\n' },
  malformed: { status: 400, body: 'malformed request\n' },
  unsigned: { status: 401, body: 'signature missing or wrong\n' },
  notFound: { status: 404, body: 'not found\n' },
  tooLarge: { status: 413, body: 'body too large\n' },
  failed: { status: 500, body: 'failed\n' },
  unavailable: { status: 503, body: 'not available now\n' },
} as const satisfies Record<string, RouteResponse>;

/** Handles one request. */
export type RequestHandler = (request: IncomingMessage) => Promise<RouteResponse>;

/** A route with exactly this method and path (without query). */
type HttpRoute = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: RequestHandler;
};

type HttpServerOptions = {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly routes: readonly HttpRoute[];
  /** Called with each request that no route matches. */
  readonly onNotFound?: (request: IncomingMessage) => void;
  readonly log: Logger;
  /** Counts responses by status. */
  readonly responses: Counter<'status'>;
};

/** A listening server. `stop` accepts no new requests, and closes the open connections after `graceMs`. */
export type HttpServer = { readonly port: number; stop(graceMs: number): Promise<void> };

const SERVER_LIMITS = {
  /** Time for a complete request, against slow senders. */
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  /**
   * Must exceed the idle timeout of the proxy (usually 60 s). If this server closed an idle connection first, the proxy
   * could send a delivery on it at the same moment, and the delivery would be lost.
   */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};

/** Starts a server for these routes, with 404 for all other requests. Rejects if the port is in use. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(SERVER_LIMITS, (request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      options.log.error({ err: error }, 'response failed');
      response.destroy();
    });
  });
  server.on('clientError', rejectMalformed);
  const port = await listen(server, options.host, options.port);
  return { port, stop: (graceMs) => stopServer(server, graceMs) };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen(port, host, () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}

function stopServer(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  server.close(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Time for the response to reach a sender whose body was not read. */
const LINGER_MS = 1_000;

async function respond(request: IncomingMessage, response: ServerResponse, options: HttpServerOptions): Promise<void> {
  const result = await handleRequest(request, options);
  if (result === null) return;
  options.responses.inc({ status: String(result.status) });
  response.writeHead(result.status, {
    'content-type': result.contentType ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(result.body),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  response.end(result.body);
  if (!request.complete) setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
}

/** Null if the sender disconnected. */
async function handleRequest(request: IncomingMessage, options: HttpServerOptions): Promise<RouteResponse | null> {
  const path = pathOf(request.url ?? '');
  // Monitors ask with HEAD, too; Node leaves out the body then.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = options.routes.find((candidate) => candidate.method === method && candidate.path === path);
  if (route === undefined) {
    options.onNotFound?.(request);
    return RESPONSES.notFound;
  }
  try {
    return await route.handle(request);
  } catch (error) {
    // A sender that disconnected gets no response, and this is no failure of the server.
    if (request.destroyed && !request.complete) return null;
    options.log.error({ path: route.path, err: error }, 'request failed');
    return RESPONSES.failed;
  }
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

function rejectMalformed(_error: Error, socket: Pick<Socket, 'writable' | 'end' | 'destroy'>): void {
  if (socket.writable) socket.end(BAD_REQUEST);
  else socket.destroy();
}

/** Nothing can be stored or done here; strangers learn the word alone. */
export class NotReadyError extends KnownFaultError {
  readonly word: 'starting' | 'stopping';
  constructor(word: 'starting' | 'stopping', message: string) {
    super(message);
    this.word = word;
  }
}

/**
 * Rejects with the reason while nothing can be stored or done here. Else resolves with those who do not answer
 * (`github`, `model`): work waits for them, and is not lost.
 */
export type ReadinessCheck = () => Promise<readonly string[]>;

/** The words are who does not answer, or the one cause why the server is not ready. */
export type Readiness = { readonly isReady: boolean; readonly words: readonly string[] };

type HealthOptions = {
  readonly check: ReadinessCheck;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly log: Logger;
  /** Writes the status page. */
  readonly renderPage: (readiness: Readiness) => Promise<string>;
};

/** The routes for the status page, liveness, readiness and metrics. They name no repository and no person. */
export function createHealthRoutes({ check, metrics, log, renderPage }: HealthOptions): readonly HttpRoute[] {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  const readiness = createReadiness(check, log);
  return [
    {
      method: 'GET',
      path: '/',
      handle: async () => ({
        status: 200,
        body: await renderPage(await readiness()),
        contentType: 'text/html; charset=utf-8',
      }),
    },
    { method: 'GET', path: '/healthz', handle: async () => RESPONSES.alive },
    { method: 'GET', path: '/readyz', handle: async () => readinessResponse(await readiness()) },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => ({ status: 200, body: await metrics.render(), contentType }),
    },
  ];
}

function readinessResponse({ isReady, words }: Readiness): RouteResponse {
  if (!isReady) return { status: 503, body: `${words.join()}\n` };
  return { status: 200, body: words.length === 0 ? 'ready\n' : `ready, without ${words.join(' and ')}\n` };
}

const CHECK_TIMEOUT_MS = 2_000;

/** Runs the check, and logs each change from ready to not ready and back. */
function createReadiness(check: ReadinessCheck, log: Logger): () => Promise<Readiness> {
  const fault = createFault({ level: 'warn', message: 'not ready', endMessage: 'ready again' });
  return async () => {
    try {
      const words = await withTimeout(check(), CHECK_TIMEOUT_MS, 'the readiness check timed out');
      fault.ended(log);
      return { isReady: true, words };
    } catch (error) {
      const cause = causeOf(error);
      fault.failed(log, error, { cause });
      return { isReady: false, words: [cause] };
    }
  };
}

/** The code of PostgreSQL for a server that takes no writes. */
const READ_ONLY = '25006';

function causeOf(error: unknown): string {
  if (error instanceof NotReadyError) return error.word;
  return error instanceof Error && errorCodeOf(error) === READ_ONLY ? 'read-only' : 'database';
}
