import type { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import {
  missingPermissions,
  type REGISTERED_PERMISSIONS,
  REQUIRED_PERMISSIONS,
  type RequiredPermission,
} from '../../../core/step/app-rights.ts';
import type { GitHubClient } from './client.ts';
import { type GitHubRequestError, hasRemedy } from './errors.ts';

/** Reading and writing use different tokens, so that code which serves the model cannot change anything. */
export type TokenAccess = 'read-only' | 'read-write' | 'members' | 'checks' | 'read-checks';

type TokenOptions = {
  /** Authenticates as the App. It creates installation tokens and caches them for 59 minutes. */
  readonly app: GitHubClient;
  readonly ref: PullRequestRef;
  readonly caches: TokenCaches;
  readonly now: () => number;
};

export type TokenCaches = {
  /** When each token was first seen, by our clock (ms): GitHub refuses it in its first seconds. */
  readonly mintedAt: Pick<LRUCache<string, number>, 'get' | 'set'>;
  /** Refusals of optional permissions a short while ago, by installation and permissions. */
  readonly refusedTokens: Pick<LRUCache<string, GitHubRequestError>, 'get' | 'set'>;
};

type TokenPermissions = Readonly<Partial<Record<keyof typeof REGISTERED_PERMISSIONS | 'members', 'read' | 'write'>>>;

const READ = { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' } as const;

/** Checks share the token of everything else, but an installation can do without them. */
const READ_ALL = { ...READ, actions: 'read', checks: 'read', statuses: 'read' } as const;

const WRITE_ALL = { ...REQUIRED_PERMISSIONS, checks: 'write' } as const;

/** Enough to read who speaks and to answer them, for an installation that has not granted everything. */
const REDUCED = { read: { metadata: 'read' }, write: { pull_requests: 'write', metadata: 'read' } } as const;

/** The permissions of a token, and those that are asked for where GitHub refuses them. */
type Choice = readonly [TokenPermissions, ...TokenPermissions[]];

const CHOICES = {
  'read-only': [READ_ALL, READ, REDUCED.read],
  'read-write': [WRITE_ALL, REQUIRED_PERMISSIONS, REDUCED.write],
  // Only this tells whether somebody is in a team. An installation can do without it.
  members: [{ members: 'read', metadata: 'read' }],
  checks: [WRITE_ALL, { checks: 'write', metadata: 'read' }],
  'read-checks': [READ_ALL],
} as const satisfies Readonly<Record<TokenAccess, Choice>>;

/** A token with the time (ms) at which it was created; 0 for a reduced one, which GitHub refuses for good reason. */
type InstallationToken = { readonly token: string; readonly mintedAt: number };

const MintedToken = z.object({ token: z.string() });

/**
 * A token for one repository. If the installation lacks permissions, the token is only good for comments; GitHub then
 * refuses everything else. For members and checks there is no such token. `refresh` replaces a cached one.
 */
export function fetchInstallationToken(
  options: TokenOptions,
  access: TokenAccess,
  refresh: boolean,
): Promise<InstallationToken> {
  return createToken(options, CHOICES[access], refresh);
}

/** The token of the first of these permissions that the installation grants. */
async function createToken(
  options: TokenOptions,
  [permissions, lesser, ...others]: Choice,
  refresh: boolean,
): Promise<InstallationToken> {
  const { app, caches, now } = options;
  const { installationId, repositoryId } = options.ref;
  const repositoryIds = [repositoryId];
  const key = `${installationId} ${JSON.stringify(permissions)}`;
  const refusal = caches.refusedTokens.get(key);
  try {
    if (refusal !== undefined) throw refusal;
    const minted = await app.auth({ type: 'installation', installationId, repositoryIds, permissions, refresh });
    const { token } = MintedToken.parse(minted);
    const mintedAt = caches.mintedAt.get(token) ?? now();
    caches.mintedAt.set(token, mintedAt);
    return { token, mintedAt: Object.values<TokenPermissions>(REDUCED).includes(permissions) ? 0 : mintedAt };
  } catch (error) {
    if (!hasRemedy(error, 'lesser-token')) throw error;
    if ('checks' in permissions && refusal === undefined) caches.refusedTokens.set(key, error);
    if (lesser === undefined) throw error;
    return createToken(options, [lesser, ...others], refresh);
  }
}

/** The permissions that the installation lacks. Only if GitHub refuses the token for writing, it is asked which. */
export async function fetchMissingPermissions(options: TokenOptions): Promise<readonly RequiredPermission[]> {
  const { app, ref } = options;
  try {
    await createToken(options, [WRITE_ALL, REQUIRED_PERMISSIONS], false);
    return [];
  } catch (error) {
    if (!hasRemedy(error, 'lesser-token')) throw error;
    const { data } = await app.rest.apps.getRepoInstallation({ owner: ref.owner, repo: ref.repo });
    return missingPermissions(data.permissions);
  }
}
