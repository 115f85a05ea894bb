import { createHash } from 'node:crypto';
import { isRecord } from '../../trust.ts';
import { publicUser } from '../payloads/account-payload.ts';
import { appPayload, installationPayload } from '../payloads/app-payload.ts';
import { repositoryPayload } from '../payloads/repository-payload.ts';
import type { Installation, Permissions, Repository, World } from '../world/state.ts';
import { timestamp } from '../world/timestamp.ts';
import { type Answer, listed, notFound, refused, shown } from './answer.ts';
import { type Call, numberParam, textParam } from './call.ts';
import { findAccount, findRepository } from './find.ts';
import type { GitHubState, InstallationToken } from './github-state.ts';
import { isSubset } from './permission-need.ts';
import { globalRoute, type Route } from './route.ts';
import { unused } from './usage.ts';

/** Operations outside a repository. */
export const APP_ROUTES: readonly Route[] = [
  globalRoute('GET /app', 'app', showApp),
  globalRoute('GET /app/installations', 'app', listInstallations),
  globalRoute('POST /app/installations/{installation_id}/access_tokens', 'app', mintToken),
  globalRoute('GET /repos/{owner}/{repo}/installation', 'app', showInstallation),
  globalRoute('GET /users/{username}', 'anyone', showUser),
  globalRoute('GET /rate_limit', 'anyone', showRateLimit),
];

function showApp(call: Call): Answer {
  if (call.identity.kind !== 'app') return notFound(call.state);
  return shown(call.state, appPayload(call.state.world, call.identity.app));
}

function listInstallations({ state, identity }: Call): Answer {
  if (identity.kind !== 'app') return notFound(state);
  const own = [...state.world.installations.values()].filter(({ appId }) => appId === identity.app.id);
  return listed(
    state,
    own.map((installation) => installationPayload(state.world, installation)),
  );
}

function showUser(call: Call): Answer {
  const account = findAccount(call.state.world, textParam(call, 'username'));
  return account === undefined ? notFound(call.state) : shown(call.state, publicUser(call.state.world, account));
}

function showInstallation(call: Call): Answer {
  const { state, identity } = call;
  const repository = findRepository(state.world, textParam(call, 'owner'), textParam(call, 'repo'));
  if (identity.kind !== 'app' || repository === undefined) return notFound(state);
  const found = [...state.world.installations.values()].find(
    (installation) => installation.appId === identity.app.id && covers(installation, repository),
  );
  return found === undefined ? notFound(state) : shown(state, installationPayload(state.world, found));
}

function covers(installation: Installation, repository: Repository): boolean {
  const { accountId, repositories } = installation;
  return accountId === repository.ownerId && (repositories === 'all' || repositories.includes(repository.id));
}

function showRateLimit(call: Call): Answer {
  const { identity, now, state } = call;
  const known = identity.kind === 'installation' ? state.usage.get(identity.token.installationId) : undefined;
  const { used, hourEnds } = known ?? unused(now);
  const reset = Math.ceil(hourEnds / 1000);
  const limit = state.limits.requestsPerHour;
  const quota = (spent: number) => ({ limit, used: spent, remaining: limit - spent, reset });
  const core = quota(used.core);
  const search = { limit: 30, used: 0, remaining: 30, reset };
  return shown(state, { resources: { core, graphql: quota(used.graphql), search }, rate: core });
}

const TOKEN_LIFETIME = 60 * 60 * 1000;
const SUSPENDED = 'This installation has been suspended';
const NO_SUCH_REPOSITORY =
  'There is at least one repository that does not exist or is not accessible to the parent installation.';
const NOT_GRANTED = 'The permissions requested are not granted to this installation.';

function mintToken(call: Call): Answer {
  const { state, identity } = call;
  const installation = state.world.installations.get(numberParam(call, 'installation_id'));
  if (identity.kind !== 'app' || installation?.appId !== identity.app.id) return notFound(state);
  if (installation.suspendedAt !== null) return refused(state, 403, SUSPENDED);
  const repositoryIds = chosenRepositories(call, installation);
  if (repositoryIds === undefined) return refused(state, 422, NO_SUCH_REPOSITORY);
  const permissions = chosenPermissions(call, installation);
  if (permissions === undefined)
    return { ...refused(state, 422, NOT_GRANTED), violation: 'a token with more than was granted' };
  const token: InstallationToken = {
    token: tokenText(state, { appId: identity.app.id, installationId: installation.id, now: call.now }),
    appId: identity.app.id,
    installationId: installation.id,
    repositoryIds,
    permissions,
    expiresAt: call.now + TOKEN_LIFETIME,
  };
  const tokens = new Map(state.tokens).set(token.token, token);
  const body = { kind: 'json', value: tokenView(state.world, token) } as const;
  return { status: 201, body, state: { ...state, tokens }, events: [] };
}

/** The repositories the token is for; undefined when one of them is not part of the installation. */
function chosenRepositories(call: Call, installation: Installation): 'all' | readonly number[] | undefined {
  const { repository_ids: ids, repositories: names } = call.body;
  if (!Array.isArray(ids) && !Array.isArray(names)) return 'all';
  const installed = [...call.state.world.repositories.values()].filter((repository) =>
    covers(installation, repository),
  );
  const wanted = [
    ...list(ids).map((id) => installed.find((repository) => repository.id === id)),
    ...list(names).map((name) => installed.find((repository) => repository.name === name)),
  ];
  return wanted.includes(undefined) ? undefined : wanted.flatMap((repository) => repository?.id ?? []);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The permissions the token carries; undefined when more is asked than was granted. */
function chosenPermissions(call: Call, installation: Installation): Permissions | undefined {
  const asked = call.body['permissions'];
  if (!isRecord(asked)) return installation.permissions;
  const levels: Record<string, 'read' | 'write' | 'admin'> = {};
  for (const [name, level] of Object.entries(asked)) {
    if (level !== 'read' && level !== 'write' && level !== 'admin') return undefined;
    levels[name] = level;
  }
  return isSubset(levels, installation.permissions) ? { ...levels, metadata: 'read' } : undefined;
}

type Minting = { readonly appId: number; readonly installationId: number; readonly now: number };

/**
 * About 520 characters with dots, dashes and underscores, as GitHub's stateless tokens have; an Enterprise Server's
 * have 40.
 */
function tokenText({ tokens, world }: GitHubState, { appId, installationId, now }: Minting): string {
  const seed = `${appId}/${installationId}/${tokens.size}/${now}`;
  const part = (index: number): string => createHash('sha512').update(`${seed}#${index}`).digest('base64url');
  if (world.site.server !== undefined) return `ghs_${part(0).replaceAll(/[-_]/g, 'x').slice(0, 36)}`;
  const claims = [1, 2, 3].map(part).join('');
  const signed = [4, 5].map(part).join('');
  return `ghs_${appId}_${part(0).slice(0, 36)}.${claims}_-.${signed}`;
}

function tokenView(world: World, token: InstallationToken): unknown {
  const shared = {
    token: token.token,
    expires_at: timestamp(token.expiresAt),
    permissions: token.permissions,
  };
  if (token.repositoryIds === 'all') return { ...shared, repository_selection: 'all' };
  const repositories = token.repositoryIds.flatMap((id) => {
    const repository = world.repositories.get(id);
    return repository === undefined ? [] : [repositoryPayload(world, repository)];
  });
  return { ...shared, repository_selection: 'selected', repositories };
}
