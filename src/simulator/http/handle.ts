import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../trust.ts';
import type { Operations } from '../world/operations.ts';
import type { WebhookEvent } from '../world/outcome.ts';
import type { Permissions, Site } from '../world/state.ts';
import { type Answer, notFound, refused } from './answer.ts';
import { serveArchive } from './archive-routes.ts';
import { callRoute } from './authorize.ts';
import { enterpriseRefusal } from './enterprise.ts';
import type { GitHubState } from './github-state.ts';
import { rootField } from './graphql-document.ts';
import { parseDocument } from './graphql-parser.ts';
import { handleGraphql } from './handle-graphql.ts';
import { type Identity, identify } from './identity.ts';
import { type Metering, meter, quotaHeaders } from './limits.ts';
import { cutPage } from './page.ts';
import type { Match } from './route.ts';
import { matchRoute } from './route.ts';
import { ROUTES } from './routes.ts';
import { unused } from './usage.ts';
import { readTarget, type Target, type WireRequest, type WireResponse } from './wire.ts';

/** Who called, as the request log keeps it. */
export type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'app'; readonly appId: number }
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      readonly token: string;
      readonly permissions: Permissions;
      readonly repositoryIds: 'all' | readonly number[];
    };

/** One request and its answer, still as data. `json` is undefined when the answer is no JSON. */
export type Handled = {
  readonly response: WireResponse;
  readonly state: GitHubState;
  readonly webhooks: readonly WebhookEvent[];
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly sent: unknown;
  readonly json: unknown;
  readonly violation: string | undefined;
};

/**
 * GitHub as a function: the answer to one request, the state after it and the webhooks it causes.
 * `now` is in milliseconds. Never throws for anything a client can send.
 */
export function handle(request: WireRequest, state: GitHubState, now: number, operations: Operations): Handled {
  const target = readTarget(request.target);
  const identified = identify(state, request.headers['authorization'], now);
  const sent = readJson(request.body);
  const match = matchRoute(ROUTES, request.method, target.path);
  const identity: Identity = identified.ok ? identified.identity : { kind: 'anonymous' };
  const metering = meterOf({ request, target, state, now, identity, sent });
  const context = { request, target, state: metering.state, now, operations, identity, sent, match };
  const answer = identified.ok ? (metering.refusal ?? answerTo(context)) : refused(state, 401, identified.message);
  const headers = { ...standardHeaders(now, state.world.site), ...metering.headers };
  const { response, json } = conditional(request, respond(answer, request, target, headers));
  return {
    response,
    json,
    state: answer.state,
    webhooks: answer.events,
    caller: callerOf(identity),
    params: match?.params ?? {},
    query: target.query,
    sent: sent.kind === 'json' ? sent.value : undefined,
    violation: answer.violation,
  };
}

/** The name a request has in the log and for faults: its route, or `graphql <field>`, or method and path. */
export function callName(request: WireRequest): string {
  const { path } = readTarget(request.target);
  if (path === '/graphql') {
    const sent = readJson(request.body);
    const query = sent.kind === 'json' && isRecord(sent.value) ? sent.value['query'] : undefined;
    const parsed = typeof query === 'string' ? parseDocument(query) : undefined;
    return parsed?.ok === true ? `graphql ${rootField(parsed.operation)}` : 'graphql';
  }
  return matchRoute(ROUTES, request.method, path)?.route.name ?? `${request.method} ${path}`;
}

type Sent =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'broken' };

function readJson(body: Uint8Array): Sent {
  if (body.byteLength === 0) return { kind: 'none' };
  try {
    return { kind: 'json', value: parseJson(Buffer.from(body).toString('utf8')) };
  } catch {
    return { kind: 'broken' };
  }
}

type Context = {
  readonly request: WireRequest;
  readonly target: Target;
  readonly state: GitHubState;
  readonly now: number;
  readonly operations: Operations;
  readonly identity: Identity;
  readonly sent: Sent;
  readonly match: Match | undefined;
};

function answerTo(context: Context): Answer {
  const { request, target, state, sent, match, identity } = context;
  const { server } = state.world.site;
  const call = { request, route: match?.route.name ?? null, anonymous: identity.kind === 'anonymous' };
  const refusal = server === undefined ? null : enterpriseRefusal(state, server, call);
  if (refusal !== null) return refusal;
  if (sent.kind === 'broken')
    return { ...refused(state, 400, 'Problems parsing JSON'), violation: 'a body that is no JSON' };
  const body = sent.kind === 'json' ? sent.value : {};
  if (target.path === '/graphql' && request.method === 'POST') return handleGraphql({ ...context, body });
  const archive = serveArchive(request.method, target, state, context.now);
  if (archive !== undefined) return archive;
  if (match === undefined) return { ...notFound(state), violation: `unknown route ${request.method} ${target.path}` };
  if (!isRecord(body))
    return { ...refused(state, 400, 'Body should be a JSON object'), violation: 'a body that is no object' };
  const accept = request.headers['accept'] ?? '';
  return callRoute(match.route, { ...context, params: match.params, query: target.query, body, accept });
}

function callerOf(identity: Identity): Caller {
  switch (identity.kind) {
    case 'anonymous':
      return { kind: 'nobody' };
    case 'app':
      return { kind: 'app', appId: identity.app.id };
    case 'installation': {
      const { installationId, token, permissions, repositoryIds } = identity.token;
      return { kind: 'installation', installationId, token, permissions, repositoryIds };
    }
  }
}

function respond(answer: Answer, request: WireRequest, target: Target, general: WireResponse['headers']): Response {
  const headers = { ...general, ...answer.headers };
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
      return { response: jsonResponse(status, headers, body.value), json: body.value };
    case 'list': {
      const page = cutPage(body.items, target.query, absoluteAddress(answer.state, request));
      const linked = page.link === undefined ? headers : { ...headers, link: page.link };
      return { response: jsonResponse(status, linked, page.items), json: page.items };
    }
  }
}

type Response = { readonly response: WireResponse; readonly json: unknown };

/**
 * What was read has a name; who asks with the name of what is still so is told no more than that. Names die with the
 * token.
 */
function conditional(request: WireRequest, given: Response): Response {
  const { response, json } = given;
  if (request.method !== 'GET' || response.status !== 200 || json === undefined) return given;
  const hash = createHash('sha256')
    .update(request.headers['authorization'] ?? '')
    .update(response.body);
  const etag = `W/"${hash.digest('hex')}"`;
  const headers = { ...response.headers, etag };
  return request.headers['if-none-match'] === etag
    ? { response: { status: 304, headers, body: new Uint8Array() }, json: undefined }
    : { response: { ...response, headers }, json };
}

function jsonResponse(status: number, headers: Readonly<Record<string, string>>, value: unknown): WireResponse {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
}

/** Pages link to where the client came in, with or without the Enterprise prefix. */
function absoluteAddress(state: GitHubState, request: WireRequest): string {
  const origin = new URL(state.world.site.api).origin;
  return `${origin}${request.target.split('?', 1)[0] ?? ''}`;
}

/** Only installations have limits here, and none on an Enterprise Server; asking what they are costs nothing. */
function meterOf({ request, target, state, now, identity, sent }: Omit<Context, 'operations' | 'match'>): Metering {
  if (state.world.site.server !== undefined) return { state, headers: {}, refusal: null };
  const free = { state, headers: quotaHeaders(state, unused(now), { resource: 'core' }), refusal: null };
  if (identity.kind !== 'installation' || target.path === '/rate_limit') return free;
  const isGraphql = target.path === '/graphql';
  const query = sent.kind === 'json' && isRecord(sent.value) ? String(sent.value['query']) : '';
  const write = isGraphql ? query.trimStart().startsWith('mutation') : request.method !== 'GET';
  const { installationId } = identity.token;
  return meter(state, { installationId, resource: isGraphql ? 'graphql' : 'core', write }, now);
}

function standardHeaders(now: number, { server }: Site): Readonly<Record<string, string>> {
  return {
    ...(server === undefined ? {} : { 'x-github-enterprise-version': server.version }),
    date: new Date(now).toUTCString(),
    'x-github-media-type': 'github.v3; format=json',
  };
}
