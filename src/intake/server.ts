import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import type { Counter } from '../telemetry/metrics.ts';
import { ANSWERS, type Answer } from './answer.ts';
import { findRoute, type Route } from './route.ts';

export type ServerOptions = {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly log: Log;
  /** Counts answers by status. */
  readonly answers: Counter<'status'>;
};

/** The open HTTP entry. `stop` takes nothing new, lets what is under way end, and cuts it off after `graceMs`. */
export type HttpEntry = { readonly port: number; stop(graceMs: number): Promise<void> };

const LIMITS = {
  /** A request must be complete in this time, however slowly it drips. */
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  /**
   * Longer than what stands before us keeps a connection that nothing comes over (load balancers: 60 s as a rule, nginx too):
   * whoever closes first must be whoever sends, or a delivery meets a connection that is just being closed, and is lost.
   */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};
const MOST_CONNECTIONS = 1_000;
/** How long a sender may go on sending a body that nobody reads, so that the answer reaches it. */
const LINGER_MS = 1_000;
const REFUSED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
): Promise<Answer | null> {
  const route = findRoute(options.routes, request.method ?? '', request.url ?? '');
  if (route === null) return ANSWERS.notFound;
  const waits = request.headers.expect !== undefined;
  try {
    return await route.handle(request, () => {
      if (waits) response.writeContinue();
    });
  } catch (error) {
    // A sender that hung up hears no answer; that is its business and no failure of ours.
    if (request.destroyed && !request.complete) return null;
    options.log.error({ path: route.path, err: error }, 'request failed');
    return ANSWERS.failed;
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  const answer = await answerTo(request, response, options);
  if (answer === null) return;
  options.answers.add({ status: String(answer.status) });
  response.writeHead(answer.status, {
    'content-type': answer.type ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(answer.body),
    'x-content-type-options': 'nosniff',
  });
  response.end(answer.body);
  if (!request.complete) setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
}

function refuse(_error: Error, socket: Pick<Socket, 'writable' | 'end' | 'destroy'>): void {
  if (socket.writable) socket.end(REFUSED);
  else socket.destroy();
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

function listen(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen(port, host, () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}

/** Opens the HTTP entry: what the table of routes names, and 404 for everything else. Rejects where the port is taken. */
export async function openServer(options: ServerOptions): Promise<HttpEntry> {
  const server = createServer(LIMITS);
  server.maxConnections = MOST_CONNECTIONS;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response, options).catch((error: unknown) => {
      options.log.error({ err: error }, 'answer failed');
      response.destroy();
    });
  };
  server.on('request', onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', refuse);
  const port = await listen(server, options.host, options.port);
  return { port, stop: (graceMs) => stopServer(server, graceMs) };
}
