import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../src/lib/trust.ts';
import { flattenHeaders, type LocalHttpServer, readIncomingBody, startLocalServer } from '../lib/http-server.ts';
import { createFaultInjector, type FaultInjector, type FaultyRequest, type InjectedFault } from './faults.ts';
import { countRequestedNodes } from './graphql/count-nodes.ts';
import { type HandledRequest, handleApiRequest, type RequestCaller, requestNameOf } from './handle-request.ts';
import { tokenOf } from './http/auth.ts';
import { jsonResponse, type RawHttpRequest, type RawHttpResponse } from './http/http-messages.ts';
import type { ServerState } from './http/server-state.ts';
import { answerWithError } from './known-errors.ts';
import type { OpenApiValidator } from './openapi-validator.ts';
import type { Operations } from './operations/operations.ts';
import type { GitHubState } from './state/github-state.ts';
import type { Operation, OperationResult, WebhookEvent } from './state/operation.ts';

/** The outcome of a request: a response (delayed or truncated by a fault), a reset connection, or no response. */
type Exchange =
  | {
      readonly kind: 'response';
      readonly response: RawHttpResponse;
      readonly until: Promise<unknown> | null;
      readonly truncated: boolean;
    }
  | { readonly kind: 'connection-reset' }
  | { readonly kind: 'no-response' };

/** An entry of the request log. `status` is null when the client got no response. */
export type RequestLogEntry = {
  readonly at: number;
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly caller: RequestCaller;
  readonly body: unknown;
  readonly status: number | null;
  /** The status before a fault replaced it; null if the request was not handled. */
  readonly appliedStatus: number | null;
};

type ApiServerOptions = {
  readonly state: ServerState;
  readonly operations: Operations;
  readonly now: () => number;
  readonly openApiValidator?: OpenApiValidator;
  /** Collects violations of GitHub’s rules. */
  readonly violations: string[];
  readonly onWebhooks: (events: readonly WebhookEvent[], github: GitHubState) => void;
};

/** The fake GitHub without sockets: it stores the state, injects faults and logs requests. */
export type ApiServer = {
  readonly exchange: (request: RawHttpRequest) => Exchange;
  /** Runs an operation for a person in the browser. */
  readonly apply: <Input, Value>(operation: Operation<Input, Value>, input: Input) => OperationResult<Value>;
  readonly serverState: () => ServerState;
  readonly replaceServerState: (state: ServerState) => void;
  readonly faults: FaultInjector;
  readonly requests: readonly RequestLogEntry[];
};

type ApiServerInternals = {
  readonly options: ApiServerOptions;
  readonly requests: RequestLogEntry[];
  state: ServerState;
  /** GitHub before each of the last writes, oldest first. */
  past: readonly GitHubState[];
};

/** As many writes as a replica can lag behind. */
const MAX_LAG = 50;

export function createApiServer(options: ApiServerOptions): ApiServer {
  const server: ApiServerInternals = { options, requests: [], state: options.state, past: [] };
  const faults = createFaultInjector();
  return {
    exchange: (request) => exchangeRequest(server, faults, request),
    apply: (operation, input) => {
      const outcome = operation(server.state.github, input, options.now());
      moveTo(server, { ...server.state, github: outcome.state });
      options.onWebhooks(outcome.events, outcome.state);
      return outcome;
    },
    serverState: () => server.state,
    replaceServerState: (state) => {
      server.state = state;
    },
    faults,
    requests: server.requests,
  };
}

function moveTo(server: ApiServerInternals, next: ServerState): void {
  if (next.github !== server.state.github) server.past = [...server.past, server.state.github].slice(-MAX_LAG);
  server.state = next;
}

function exchangeRequest(server: ApiServerInternals, faults: FaultInjector, request: RawHttpRequest): Exchange {
  const name = requestNameOf(request);
  const fault = faults.take(describeRequest(server, name, request));
  const handled = fault !== undefined && !isApplied(fault) ? undefined : processWith(server, name, request, fault);
  const result = toExchange(fault, request, handled?.response);
  server.requests.push({
    at: server.options.now(),
    name,
    method: request.method,
    target: request.target,
    caller: handled?.caller ?? { kind: 'anonymous' },
    body: handled?.body,
    status: result.kind === 'response' ? result.response.status : null,
    appliedStatus: handled?.response.status ?? null,
  });
  return result;
}

function describeRequest(
  { state, options }: ApiServerInternals,
  route: string,
  request: RawHttpRequest,
): FaultyRequest {
  const token = tokenOf(state, request.headers['authorization']);
  const tokenAgeMs = token === undefined ? null : options.now() - token.createdAt;
  return { route, tokenAgeMs, nodes: graphqlFieldOf(route) === null ? 0 : countRequestedNodes(request.body) };
}

/** The name of a query, or the first field of a mutation; null for REST. */
function graphqlFieldOf(name: string): string | null {
  return name.startsWith('graphql ') ? name.slice('graphql '.length) : null;
}

function processWith(
  server: ApiServerInternals,
  name: string,
  request: RawHttpRequest,
  fault: InjectedFault | undefined,
): HandledRequest {
  const handled = processRequest(server, name, alterRequest(request, fault), fault?.kind === 'lag' ? fault : null);
  if (fault?.kind !== 'alter-response' || handled.json === undefined) return handled;
  const { status, headers } = handled.response;
  return { ...handled, response: jsonResponse(status, fault.alter(parseJson(JSON.stringify(handled.json))), headers) };
}

function alterRequest(request: RawHttpRequest, fault: InjectedFault | undefined): RawHttpRequest {
  if (fault?.kind !== 'alter-request') return request;
  return { ...request, body: Buffer.from(fault.alter(Buffer.from(request.body).toString('utf8'))) };
}

function isApplied(fault: InjectedFault): boolean {
  switch (fault.kind) {
    case 'fail-before-apply':
    case 'known-error':
      return false;
    case 'reset':
    case 'hang':
      return fault.applied;
    case 'fail-after-apply':
    case 'delay':
    case 'truncate':
    case 'lag':
    case 'alter-request':
    case 'alter-response':
      return true;
  }
}

type Lag = Extract<InjectedFault, { readonly kind: 'lag' }>;

function processRequest(
  server: ApiServerInternals,
  name: string,
  request: RawHttpRequest,
  lag: Lag | null,
): HandledRequest {
  const { state, past, options } = server;
  const handle = (github: GitHubState): HandledRequest =>
    handleApiRequest(request, { ...state, github }, options.now(), options.operations);
  const seen = lag === null ? undefined : past.at(-(lag.writes ?? 1));
  const late = seen === undefined ? undefined : handle(seen);
  const handled = late === undefined || late.state.github !== seen ? handle(state.github) : late;
  moveTo(server, handled === late ? { ...handled.state, github: state.github } : handled.state);
  if (handled.violation !== undefined) server.options.violations.push(handled.violation);
  server.options.violations.push(...checkAgainstOpenApi(server.options.openApiValidator, name, handled));
  server.options.onWebhooks(handled.webhooks, handled.state.github);
  return handled;
}

/** Checks REST requests only: GitHub’s OpenAPI description does not include GraphQL. */
function checkAgainstOpenApi(
  openApiValidator: OpenApiValidator | undefined,
  name: string,
  handled: HandledRequest,
): readonly string[] {
  const { params, query, body: sent, response, json } = handled;
  const isRoute = / \/(?!codeload|joblogs)/.test(name) && (json !== undefined || response.status === 204);
  if (openApiValidator === undefined || !isRoute || handled.violation !== undefined) return [];
  // The value that the client parses from JSON.
  const body = json === undefined ? undefined : parseJson(Buffer.from(response.body).toString('utf8'));
  return [
    ...openApiValidator.checkRequest({ route: name, params, query, body: sent }),
    ...openApiValidator.checkResponse(name, response.status, body),
  ];
}

/** The head that a request to move a branch names. */
function expectedHeadIn(body: Uint8Array): string {
  return /"(?:expectedHeadOid|beforeOid)":"(\w+)"/.exec(Buffer.from(body).toString())?.[1] ?? '0'.repeat(40);
}

function toExchange(
  fault: InjectedFault | undefined,
  request: RawHttpRequest,
  response: RawHttpResponse | undefined,
): Exchange {
  const respond = (sent: RawHttpResponse, until: Promise<unknown> | null = null, truncated = false): Exchange => ({
    kind: 'response',
    response: sent,
    until,
    truncated,
  });
  const unavailable = jsonResponse(502, { message: 'Server Error' });
  if (fault === undefined) return respond(response ?? unavailable);
  switch (fault.kind) {
    case 'fail-before-apply':
    case 'fail-after-apply':
      return respond(jsonResponse(fault.status, fault.body ?? { message: 'Server Error' }, fault.headers));
    case 'known-error': {
      const graphqlField = graphqlFieldOf(requestNameOf(request));
      const expectedHead = expectedHeadIn(request.body);
      const { status, body } = answerWithError(fault.error, { graphqlField, expectedHead });
      return respond(jsonResponse(status, body));
    }
    case 'reset':
      return { kind: 'connection-reset' };
    case 'hang':
      return { kind: 'no-response' };
    case 'delay':
      return respond(response ?? unavailable, fault.until);
    case 'truncate':
      return respond(response ?? unavailable, null, true);
    case 'lag':
    case 'alter-request':
    case 'alter-response':
      return respond(response ?? unavailable);
  }
}

/** Serves the fake GitHub on 127.0.0.1. Requests are handled one at a time, in the order in which their bodies arrive. */
export function serveOverHttp(apiServer: ApiServer, port = 0): Promise<LocalHttpServer> {
  return startLocalServer((request, response) => {
    handleHttpRequest(apiServer, request, response).catch(() => response.destroy());
  }, port);
}

async function handleHttpRequest(
  apiServer: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readIncomingBody(request);
  const { method = 'GET', url = '/' } = request;
  await writeExchange(apiServer.exchange({ method, target: url, headers: flattenHeaders(request), body }), response);
}

async function writeExchange(exchange: Exchange, response: ServerResponse): Promise<void> {
  switch (exchange.kind) {
    case 'connection-reset':
      response.destroy();
      break;
    case 'no-response':
      break;
    case 'response':
      await exchange.until;
      await writeResponse(exchange, response);
      break;
  }
}

async function writeResponse(
  exchange: Extract<Exchange, { kind: 'response' }>,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = exchange.response;
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': String(body.byteLength) }),
  });
  if (!exchange.truncated) {
    response.end(body);
    return;
  }
  await new Promise((resolve) => response.write(body.subarray(0, body.byteLength / 2), resolve));
  response.destroy();
}

type FetchOptions = {
  readonly method?: string | undefined;
  readonly headers?: RequestInit['headers'] | undefined;
  readonly body?: unknown;
  readonly redirect?: string | undefined;
  readonly signal?: AbortSignal | null | undefined;
};

/**
 * Creates a `fetch` without sockets, for simulations that control every step. A reset rejects like a network error, a
 * hang lasts until the signal aborts, and redirects are followed.
 */
export function createFetch(apiServer: ApiServer): (input: string | URL, options?: FetchOptions) => Promise<Response> {
  return async (input, options = {}) => {
    const url = new URL(input);
    const headers = Object.fromEntries(new Headers(options.headers ?? {}));
    const { method = 'GET', signal } = options;
    const request = { method, target: `${url.pathname}${url.search}`, headers, body: toBytes(options.body) };
    const response = await sendRequest(apiServer, request, signal ?? undefined);
    const location = response.headers['location'];
    if (response.status === 302 && location !== undefined && options.redirect !== 'manual') {
      return createFetch(apiServer)(location, { redirect: 'follow', signal });
    }
    // The client tells by it which request was answered.
    return Object.defineProperty(toResponse(response), 'url', { value: url.href });
  };
}

async function sendRequest(
  apiServer: ApiServer,
  request: RawHttpRequest,
  signal: AbortSignal | undefined,
): Promise<RawHttpResponse> {
  signal?.throwIfAborted();
  const exchange = apiServer.exchange(request);
  switch (exchange.kind) {
    case 'connection-reset':
      throw new TypeError('fetch failed');
    case 'no-response':
      return rejectOnAbort(signal);
    case 'response':
      if (exchange.until !== null) await Promise.race([exchange.until, rejectOnAbort(signal)]);
      if (exchange.truncated) throw new TypeError('terminated');
      return exchange.response;
  }
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return typeof body === 'string' ? Buffer.from(body) : new Uint8Array();
}

function toResponse({ status, headers, body }: RawHttpResponse): Response {
  const hasBody = status !== 204 && status !== 302 && status !== 304;
  const all = hasBody ? { ...headers, 'content-length': String(body.byteLength) } : { ...headers };
  return new Response(hasBody ? Buffer.from(body) : null, { status, headers: all });
}
