import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { handleGraphql } from './graphql/handle-graphql.ts';
import { nameOf, parseDocument } from './graphql/parser.ts';
import { authenticate, type RequestIdentity } from './http/auth.ts';
import {
  type ApiResponse,
  errorResponse,
  jsonResponse,
  notFoundResponse,
  paginate,
  parseTarget,
  type RawHttpRequest,
  type RawHttpResponse,
  type RequestTarget,
} from './http/http-messages.ts';
import { type CountingResult, countRequest, rateLimitHeaders } from './http/rate-limits.ts';
import { createUsage, type ServerState } from './http/server-state.ts';
import type { Operations } from './operations/operations.ts';
import { serveArchive } from './rest/archive.ts';
import { serveJobLog } from './rest/checks.ts';
import { matchRoute, type RouteMatch } from './rest/router.ts';
import { dispatchRoute, ROUTES } from './rest/routes.ts';
import type { AppPermissions, EnterpriseServer, GitHubHost } from './state/github-state.ts';
import { findRepositoryByName, fullNameOf } from './state/lookup.ts';
import type { WebhookEvent } from './state/operation.ts';

/** The caller of a request in the log. */
export type RequestCaller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app'; readonly appId: number }
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      readonly token: string;
      readonly permissions: AppPermissions;
      readonly repositoryIds: 'all' | readonly number[];
    };

/** A handled request. `json` is undefined when the response is not JSON. */
export type HandledRequest = {
  readonly response: RawHttpResponse;
  readonly state: ServerState;
  readonly webhooks: readonly WebhookEvent[];
  readonly caller: RequestCaller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly json: unknown;
  readonly violation: string | undefined;
};

/**
 * Handles one request as a pure function of the state; `now` is in ms. Returns an error response for every invalid
 * request.
 */
export function handleApiRequest(
  request: RawHttpRequest,
  state: ServerState,
  now: number,
  operations: Operations,
): HandledRequest {
  const target = withRepositoryName(parseTarget(request.target), state);
  const authentication = authenticate(state, request.headers['authorization'], now);
  const parsedBody = parseBody(request.body);
  const match = matchRoute(ROUTES, request.method, target.path);
  const identity: RequestIdentity = authentication.ok ? authentication.identity : { kind: 'anonymous' };
  const counting = countIfLimited({ request, target, state, now, identity, parsedBody });
  const context = { request, target, state: counting.state, now, operations, identity, parsedBody, match };
  const answer = authentication.ok
    ? (counting.refusal ?? routeRequest(context))
    : errorResponse(state, 401, authentication.message);
  const headers = { ...standardHeaders(now, state.github.host), ...counting.headers };
  const { response, json } = applyEtag(request, renderResponse(answer, request, target, headers));
  return {
    response,
    json,
    state: answer.state,
    webhooks: answer.events,
    caller: describeCaller(identity),
    params: match?.params ?? {},
    query: target.query,
    body: parsedBody.kind === 'json' ? parsedBody.value : undefined,
    violation: answer.violation,
  };
}

/** The name of a request in the log and in faults: its route, `graphql <field>`, or method and path. */
export function requestNameOf(request: RawHttpRequest): string {
  const path = parseTarget(request.target).path.replace(REPOSITORY_BY_ID, '/repos/owner/name');
  if (path === '/graphql') {
    const parsedBody = parseBody(request.body);
    const query = parsedBody.kind === 'json' && isRecord(parsedBody.value) ? parsedBody.value['query'] : undefined;
    const parsed = typeof query === 'string' ? parseDocument(query) : undefined;
    return parsed?.ok === true ? `graphql ${nameOf(parsed.operation)}` : 'graphql';
  }
  return matchRoute(ROUTES, request.method, path)?.route.name ?? `${request.method} ${path}`;
}

/** Repository routes by the id, which GitHub's page links have. */
const REPOSITORY_BY_ID = /^\/repositories\/(\d+)(?=\/|$)/;

function withRepositoryName(target: RequestTarget, { github }: ServerState): RequestTarget {
  const repository = github.repositories.get(Number(REPOSITORY_BY_ID.exec(target.path)?.[1]));
  if (repository === undefined) return target;
  return { ...target, path: target.path.replace(REPOSITORY_BY_ID, `/repos/${fullNameOf(github, repository)}`) };
}

type ParsedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'invalid-json' };

function parseBody(body: Uint8Array): ParsedBody {
  if (body.byteLength === 0) return { kind: 'none' };
  try {
    return { kind: 'json', value: parseJson(Buffer.from(body).toString('utf8')) };
  } catch {
    return { kind: 'invalid-json' };
  }
}

type RequestContext = {
  readonly request: RawHttpRequest;
  readonly target: RequestTarget;
  readonly state: ServerState;
  readonly now: number;
  readonly operations: Operations;
  readonly identity: RequestIdentity;
  readonly parsedBody: ParsedBody;
  readonly match: RouteMatch | undefined;
};

/** GitHub refuses larger requests, as others measured. */
const MAX_REQUEST_BYTES = 45_000_000;

function routeRequest(context: RequestContext): ApiResponse {
  const { request, target, state, parsedBody, match, identity } = context;
  const { enterpriseServer } = state.github.host;
  if (request.body.byteLength > MAX_REQUEST_BYTES) return errorResponse(state, 413, 'Request Entity Too Large');
  const call = { request, route: match?.route.name ?? null, anonymous: identity.kind === 'anonymous' };
  const denied = enterpriseServer === undefined ? null : checkEnterpriseAccess(state, enterpriseServer, call);
  if (denied !== null) return denied;
  if (parsedBody.kind === 'invalid-json')
    return { ...errorResponse(state, 400, 'Problems parsing JSON'), violation: 'the body is not JSON' };
  const body = parsedBody.kind === 'json' ? parsedBody.value : {};
  if (target.path === '/graphql' && request.method === 'POST') return handleGraphql({ ...context, body });
  const archive = serveArchive(request.method, target, state, context.now);
  if (archive !== undefined) return archive;
  const log = serveJobLog(request.method, target, state, { now: context.now, range: request.headers['range'] });
  if (log !== undefined) return log;
  if (match === undefined)
    return { ...notFoundResponse(state), violation: `unknown route ${request.method} ${target.path}` };
  if (!isRecord(body))
    return { ...errorResponse(state, 400, 'Body should be a JSON object'), violation: 'the body is not an object' };
  const accept = request.headers['accept'] ?? '';
  return dispatchRoute(match.route, { ...context, params: match.params, query: target.query, body, accept });
}

function describeCaller(identity: RequestIdentity): RequestCaller {
  switch (identity.kind) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'app':
      return { kind: 'app', appId: identity.app.id };
    case 'installation': {
      const { installationId, token, permissions, repositoryIds } = identity.token;
      return { kind: 'installation', installationId, token, permissions, repositoryIds };
    }
  }
}

function renderResponse(
  answer: ApiResponse,
  request: RawHttpRequest,
  target: RequestTarget,
  commonHeaders: RawHttpResponse['headers'],
): RenderedResponse {
  const headers = { ...commonHeaders, ...answer.headers };
  const { body, status } = answer;
  switch (body.kind) {
    case 'none':
      return { response: { status, headers, body: new Uint8Array() }, json: undefined };
    case 'bytes':
      return {
        response: { status, headers: { ...headers, 'content-type': body.type }, body: body.bytes },
        json: undefined,
      };
    case 'json':
      return { response: jsonResponse(status, body.value, headers), json: body.value };
    case 'list': {
      const page = paginate(body.items, target.query, absoluteUrl(answer.state, request));
      const linked = page.link === undefined ? headers : { ...headers, link: page.link };
      const json = body.wrap?.(page.items) ?? page.items;
      return { response: jsonResponse(status, json, linked), json };
    }
  }
}

type RenderedResponse = { readonly response: RawHttpResponse; readonly json: unknown };

/** The ETag depends on the token, as on GitHub, so a request with a new token gets a full response. */
function applyEtag(request: RawHttpRequest, rendered: RenderedResponse): RenderedResponse {
  const { response, json } = rendered;
  if (request.method !== 'GET' || response.status !== 200 || json === undefined) return rendered;
  const hash = createHash('sha256')
    .update(request.headers['authorization'] ?? '')
    .update(response.body);
  const etag = `W/"${hash.digest('hex')}"`;
  const headers = { ...response.headers, etag };
  return request.headers['if-none-match'] === etag
    ? { response: { status: 304, headers, body: new Uint8Array() }, json: undefined }
    : { response: { ...response, headers }, json };
}

/** The URL of a page link, with the path prefix of the request. It names a repository by its id. */
function absoluteUrl({ github }: ServerState, request: RawHttpRequest): string {
  const [path = ''] = request.target.split('?', 1);
  const byId = path.replace(/\/repos\/([^/]+)\/([^/]+)/, (whole, owner: string, name: string) => {
    const repository = findRepositoryByName(github, decodeURIComponent(owner), decodeURIComponent(name));
    return repository === undefined ? whole : `/repositories/${repository.id}`;
  });
  return `${new URL(github.host.apiUrl).origin}${byId}`;
}

/** Only installations on github.com have limits, and `/rate_limit` does not count. */
function countIfLimited({
  request,
  target,
  state,
  now,
  identity,
  parsedBody,
}: Omit<RequestContext, 'operations' | 'match'>): CountingResult {
  if (state.github.host.enterpriseServer !== undefined) return { state, headers: {}, refusal: null };
  const uncounted = { state, headers: rateLimitHeaders(state, createUsage(now), { resource: 'core' }), refusal: null };
  if (identity.kind !== 'installation' || target.path === '/rate_limit') return uncounted;
  const isGraphql = target.path === '/graphql';
  const query = parsedBody.kind === 'json' && isRecord(parsedBody.value) ? String(parsedBody.value['query']) : '';
  const write = isGraphql ? query.trimStart().startsWith('mutation') : request.method !== 'GET';
  const { installationId } = identity.token;
  return countRequest(state, { installationId, resource: isGraphql ? 'graphql' : 'core', write }, now);
}

function standardHeaders(now: number, { enterpriseServer }: GitHubHost): Readonly<Record<string, string>> {
  return {
    ...(enterpriseServer === undefined ? {} : { 'x-github-enterprise-version': enterpriseServer.version }),
    date: new Date(now).toUTCString(),
    'x-github-media-type': 'github.v3; format=json',
  };
}

/** A request to an Enterprise Server; `route` is null for an unknown route. */
type EnterpriseRequest = {
  readonly request: Pick<RawHttpRequest, 'method' | 'target'>;
  readonly route: string | null;
  readonly anonymous: boolean;
};

/** REST, GraphQL and archive downloads. */
const SERVED_PATH = /^\/(?:api\/v3(?:[/?]|$)|api\/graphql$|codeload\/|joblogs\/)/;

/** Archives and logs, whose links need no token. */
const DOWNLOAD_PATH = /^\/(?:codeload|joblogs)\//;

/**
 * Returns the error of an Enterprise Server for unknown paths, anonymous callers (private mode) and missing routes; null
 * if it handles the request like github.com.
 */
function checkEnterpriseAccess(
  state: ServerState,
  server: EnterpriseServer,
  context: EnterpriseRequest,
): ApiResponse | null {
  const { request, route, anonymous } = context;
  if (!SERVED_PATH.test(request.target))
    return {
      ...notFoundResponse(state),
      violation: `${request.method} ${request.target} is not below /api on this server`,
    };
  if (DOWNLOAD_PATH.test(request.target)) return null;
  if (anonymous) return errorResponse(state, 401, 'Must authenticate to access this API.');
  if (route === 'GET /rate_limit') return errorResponse(state, 404, 'Rate limiting is not enabled.');
  return route !== null && server.missingRoutes.includes(route) ? notFoundResponse(state) : null;
}
