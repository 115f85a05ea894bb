import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { hasPermission, isWithinGrant } from '../http/auth.ts';
import {
  type ApiResponse,
  DEFAULT_PAGE_SIZE,
  errorResponse,
  listResponse,
  MAX_PAGE_SIZE,
  notFoundResponse,
  okResponse,
} from '../http/http-messages.ts';
import {
  createUsage,
  type FakeDeliveryAttempt,
  type InstallationToken,
  type ServerState,
} from '../http/server-state.ts';
import { appPayload, installationPayload, publicUserPayload } from '../payloads/accounts.ts';
import { repositoryPayload } from '../payloads/repositories.ts';
import type { AppPermissions, FakeInstallation, GitHubState } from '../state/github-state.ts';
import { findAccountByLogin, findRepositoryByName, isInstalledOn } from '../state/lookup.ts';
import { formatTimestamp } from '../state/update.ts';
import { type ApiRoute, createGlobalRoute, type RouteContext, readNumberParam, readTextParam } from './router.ts';

export const APP_ROUTES: readonly ApiRoute[] = [
  createGlobalRoute('GET /app', 'app', getApp),
  createGlobalRoute('GET /app/installations', 'app', listInstallations),
  createGlobalRoute('POST /app/installations/{installation_id}/access_tokens', 'app', createInstallationToken),
  createGlobalRoute('GET /repos/{owner}/{repo}/installation', 'app', getInstallation),
  createGlobalRoute('GET /users/{username}', 'anyone', getUser),
  createGlobalRoute('GET /rate_limit', 'anyone', getRateLimit),
  createGlobalRoute('GET /orgs/{org}/teams/{team_slug}/memberships/{username}', 'anyone', getTeamMembership),
];

function getApp(context: RouteContext): ApiResponse {
  if (context.identity.kind !== 'app') return notFoundResponse(context.state);
  return okResponse(context.state, appPayload(context.state.github, context.identity.app));
}

function listInstallations({ state, identity }: RouteContext): ApiResponse {
  if (identity.kind !== 'app') return notFoundResponse(state);
  const own = [...state.github.installations.values()].filter(({ appId }) => appId === identity.app.id);
  return listResponse(
    state,
    own.map((installation) => installationPayload(state.github, installation)),
  );
}

function getUser(context: RouteContext): ApiResponse {
  const account = findAccountByLogin(context.state.github, readTextParam(context, 'username'));
  return account === undefined
    ? notFoundResponse(context.state)
    : okResponse(context.state, publicUserPayload(context.state.github, account));
}

function getInstallation(context: RouteContext): ApiResponse {
  const { state, identity } = context;
  const repository = findRepositoryByName(
    state.github,
    readTextParam(context, 'owner'),
    readTextParam(context, 'repo'),
  );
  if (identity.kind !== 'app' || repository === undefined) return notFoundResponse(state);
  const found = [...state.github.installations.values()].find(
    (installation) => installation.appId === identity.app.id && isInstalledOn(installation, repository),
  );
  return found === undefined ? notFoundResponse(state) : okResponse(state, installationPayload(state.github, found));
}

function getRateLimit(context: RouteContext): ApiResponse {
  const { identity, now, state } = context;
  const known = identity.kind === 'installation' ? state.rateLimitUsage.get(identity.token.installationId) : undefined;
  const { used, hourEndsAt } = known ?? createUsage(now);
  const reset = Math.ceil(hourEndsAt / 1000);
  const limit = state.rateLimits.requestsPerHour;
  const quota = (used: number) => ({ limit, used, remaining: limit - used, reset });
  const core = quota(used.core);
  const search = { limit: 30, used: 0, remaining: 30, reset };
  return okResponse(state, { resources: { core, graphql: quota(used.graphql), search }, rate: core });
}

const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

const SUSPENDED_MESSAGE = 'This installation has been suspended';

const UNKNOWN_REPOSITORY_MESSAGE =
  'There is at least one repository that does not exist or is not accessible to the parent installation.';

const NOT_GRANTED_MESSAGE = 'The permissions requested are not granted to this installation.';

/** A client may try tokens with these, which not every owner grants. */
const OPTIONAL_PERMISSIONS = { members: 'read', actions: 'read', checks: 'write', statuses: 'read' } as const;

/** A team that the organization does not have has no members. */
function getTeamMembership(context: RouteContext): ApiResponse {
  const { state, identity } = context;
  if (identity.kind !== 'installation') return errorResponse(state, 401, 'Requires authentication');
  if (!hasPermission(identity.token.permissions, 'members', 'read'))
    return errorResponse(state, 403, 'Resource not accessible by integration');
  const [org, slug] = [readTextParam(context, 'org'), readTextParam(context, 'team_slug')];
  const account = findAccountByLogin(state.github, readTextParam(context, 'username'));
  const members = state.github.teams.get(`${org}/${slug}`.toLowerCase());
  if (account === undefined || members?.includes(account.id) !== true) return notFoundResponse(state);
  const url = `${state.github.host.apiUrl}/organizations/1/team/1/memberships/${account.login}`;
  return okResponse(state, { url, role: 'member', state: 'active' });
}

function createInstallationToken(context: RouteContext): ApiResponse {
  const { state, identity } = context;
  const installation = state.github.installations.get(readNumberParam(context, 'installation_id'));
  if (identity.kind !== 'app' || installation?.appId !== identity.app.id) return notFoundResponse(state);
  if (installation.suspendedAt !== null) return errorResponse(state, 403, SUSPENDED_MESSAGE);
  const repositoryIds = readRepositoryIds(context, installation);
  if (repositoryIds === undefined) return errorResponse(state, 422, UNKNOWN_REPOSITORY_MESSAGE);
  const permissions = readPermissions(context, installation.permissions);
  if (permissions === undefined) {
    const refused = errorResponse(state, 422, NOT_GRANTED_MESSAGE);
    // An owner can withhold permissions of the App’s registration. A client that requests others has a bug.
    return readPermissions(context, { ...OPTIONAL_PERMISSIONS, ...identity.app.permissions }) === undefined
      ? { ...refused, violation: 'requested a token with more permissions than the App asks for' }
      : refused;
  }
  const token: InstallationToken = {
    token: generateToken(state, { appId: identity.app.id, installationId: installation.id, now: context.now }),
    appId: identity.app.id,
    installationId: installation.id,
    repositoryIds,
    permissions,
    createdAt: context.now,
    expiresAt: context.now + TOKEN_LIFETIME_MS,
  };
  const tokens = new Map(state.tokens).set(token.token, token);
  const body = { kind: 'json', value: tokenPayload(state.github, token) } as const;
  return { status: 201, body, state: { ...state, tokens }, events: [] };
}

/** Returns the repositories of the token; undefined if one of them is not installed. */
function readRepositoryIds(
  context: RouteContext,
  installation: FakeInstallation,
): 'all' | readonly number[] | undefined {
  const { repository_ids: ids, repositories: names } = context.body;
  if (!Array.isArray(ids) && !Array.isArray(names)) return 'all';
  const installed = [...context.state.github.repositories.values()].filter((repository) =>
    isInstalledOn(installation, repository),
  );
  const wanted = [
    ...arrayOrEmpty(ids).map((id) => installed.find((repository) => repository.id === id)),
    ...arrayOrEmpty(names).map((name) => installed.find((repository) => repository.name === name)),
  ];
  return wanted.includes(undefined) ? undefined : wanted.flatMap((repository) => repository?.id ?? []);
}

function arrayOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the permissions of the token; undefined if the request exceeds the granted permissions. */
function readPermissions(context: RouteContext, granted: AppPermissions): AppPermissions | undefined {
  const requested = context.body['permissions'];
  if (!isRecord(requested)) return granted;
  const levels: Record<string, 'read' | 'write' | 'admin'> = {};
  for (const [name, level] of Object.entries(requested)) {
    if (level !== 'read' && level !== 'write' && level !== 'admin') return undefined;
    levels[name] = level;
  }
  return isWithinGrant(levels, granted) ? { ...levels, metadata: 'read' } : undefined;
}

type TokenSeed = { readonly appId: number; readonly installationId: number; readonly now: number };

/**
 * Tokens of github.com have about 520 characters, including dots, dashes and underscores. Tokens of an Enterprise Server
 * have 40 characters.
 */
function generateToken({ tokens, github }: ServerState, { appId, installationId, now }: TokenSeed): string {
  const seed = `${appId}/${installationId}/${tokens.size}/${now}`;
  const part = (index: number): string => createHash('sha512').update(`${seed}#${index}`).digest('base64url');
  if (github.host.enterpriseServer !== undefined) return `ghs_${part(0).replaceAll(/[-_]/g, 'x').slice(0, 36)}`;
  const claims = [1, 2, 3].map(part).join('');
  const signed = [4, 5].map(part).join('');
  return `ghs_${appId}_${part(0).slice(0, 36)}.${claims}_-.${signed}`;
}

function tokenPayload(github: GitHubState, token: InstallationToken): unknown {
  const shared = {
    token: token.token,
    expires_at: formatTimestamp(token.expiresAt),
    permissions: token.permissions,
  };
  if (token.repositoryIds === 'all') return { ...shared, repository_selection: 'all' };
  const repositories = token.repositoryIds.flatMap((id) => {
    const repository = github.repositories.get(id);
    return repository === undefined ? [] : [repositoryPayload(github, repository)];
  });
  return { ...shared, repository_selection: 'selected', repositories };
}

export const HOOK_ROUTES: readonly ApiRoute[] = [
  createGlobalRoute('GET /app/hook/config', 'app', getWebhookConfig),
  createGlobalRoute('GET /app/hook/deliveries', 'app', listDeliveries),
  createGlobalRoute('GET /app/hook/deliveries/{delivery_id}', 'app', getDelivery),
  createGlobalRoute('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', redeliverAttempt),
];

/** GitHub never shows the secret. */
function getWebhookConfig({ state }: RouteContext): ApiResponse {
  return okResponse(state, { ...state.webhookLog.hook, secret: '********' });
}

/** GitHub keeps deliveries for 3 days. */
const RETENTION_MS = 3 * 24 * 60 * 60 * 1000;

function listRetainedAttempts({ state, now }: RouteContext): readonly FakeDeliveryAttempt[] {
  return state.webhookLog.attempts.filter(({ at }) => at > now - RETENTION_MS);
}

function isSuccess({ statusCode }: FakeDeliveryAttempt): boolean {
  return statusCode >= 200 && statusCode < 400;
}

/** Lists attempts, newest first, starting at `cursor`. */
function listDeliveries(context: RouteContext): ApiResponse {
  const { per_page: size, cursor, status } = context.query;
  const from = cursor === undefined ? Number.POSITIVE_INFINITY : Number(/^v1_(\d+)$/.exec(cursor)?.[1]);
  if (Number.isNaN(from)) return errorResponse(context.state, 422, 'Invalid cursor');
  const wanted = listRetainedAttempts(context)
    .filter((attempt) => status === undefined || isSuccess(attempt) === (status === 'success'))
    .filter(({ id }) => id <= from)
    .toReversed();
  const limit = Math.min(Number(size ?? DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
  const answer = okResponse(context.state, wanted.slice(0, limit).map(deliveryPayload));
  const next = wanted[limit];
  return next === undefined ? answer : { ...answer, headers: { link: createNextLink(context, `v1_${next.id}`) } };
}

function createNextLink({ state, query }: RouteContext, cursor: string): string {
  const search = new URLSearchParams({ ...query, cursor });
  return `<${state.github.host.apiUrl}/app/hook/deliveries?${search}>; rel="next"`;
}

function findAttempt(context: RouteContext): FakeDeliveryAttempt | undefined {
  return listRetainedAttempts(context).find(({ id }) => id === readNumberParam(context, 'delivery_id'));
}

function getDelivery(context: RouteContext): ApiResponse {
  const attempt = findAttempt(context);
  if (attempt === undefined) return notFoundResponse(context.state);
  const { headers, body } = attempt.delivery.request;
  const request = { headers, payload: parseJson(body) };
  const url = 'https://countersign.example/api/github/webhooks';
  const response = attempt.statusCode === 0 ? { headers: null, payload: null } : { headers: {}, payload: '' };
  return okResponse(context.state, { ...deliveryPayload(attempt), url, request, response });
}

function redeliverAttempt(context: RouteContext): ApiResponse {
  const attempt = findAttempt(context);
  if (attempt === undefined) return notFoundResponse(context.state);
  context.state.webhookLog.redeliver(attempt.delivery);
  return { ...okResponse(context.state, {}), status: 202 };
}

function deliveryPayload({
  id,
  delivery,
  at,
  statusCode,
  redelivery,
}: FakeDeliveryAttempt): Readonly<Record<string, unknown>> {
  const { guid, event, action, installationId, repositoryId } = delivery;
  return {
    id,
    guid,
    delivered_at: formatTimestamp(at),
    redelivery,
    duration: 0.1,
    status: statusCode === 0 ? 'failed to connect to host' : statusCode < 300 ? 'OK' : 'Invalid HTTP Response',
    status_code: statusCode,
    event,
    action,
    installation_id: installationId,
    repository_id: repositoryId,
    throttled_at: null,
  };
}
