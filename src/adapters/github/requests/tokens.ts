import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import {
  missingPermissions,
  type REGISTERED_PERMISSIONS,
  REQUIRED_PERMISSIONS,
  type RequiredPermission,
} from '../../../core/step/app-rights.ts';
import type { GitHubClient } from './client.ts';
import { hasRemedy } from './errors.ts';

/** Reading and writing use different tokens, so that code which serves the model cannot change anything. */
export type TokenAccess = 'read-only' | 'read-write' | 'members' | 'checks' | 'read-checks';

type TokenOptions = {
  /** Authenticates as the App. It creates installation tokens and caches them for 59 minutes. */
  readonly app: GitHubClient;
  readonly ref: PullRequestRef;
  readonly mintedAt: TokenTimes;
  readonly now: () => number;
};

/** When each token was first seen, by our clock (ms): GitHub refuses it in its first seconds. */
export type TokenTimes = Pick<LRUCache<string, number>, 'get' | 'set' | 'has'>;

export function createTokenTimes(): TokenTimes {
  return new LRUCache<string, number>({ max: 10_000 });
}

type TokenPermissions = Readonly<Partial<Record<keyof typeof REGISTERED_PERMISSIONS | 'members', 'read' | 'write'>>>;

const TOKEN_PERMISSIONS = {
  'read-only': { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
  'read-write': REQUIRED_PERMISSIONS,
  // Only this tells whether somebody is in a team. An installation can do without it.
  members: { members: 'read', metadata: 'read' },
  // Likewise optional.
  checks: { checks: 'write', metadata: 'read' },
  // An installation can do without these, too.
  'read-checks': {
    actions: 'read',
    checks: 'read',
    statuses: 'read',
    contents: 'read',
    pull_requests: 'read',
    metadata: 'read',
  },
} as const satisfies Record<TokenAccess, TokenPermissions>;

/** Enough to read who speaks and to answer them, for an installation that has not granted everything. */
const REDUCED_PERMISSIONS = {
  'read-only': { metadata: 'read' },
  'read-write': { pull_requests: 'write', metadata: 'read' },
} as const satisfies Partial<Record<TokenAccess, TokenPermissions>>;

/** A token with the time (ms) at which it was created; 0 for a reduced one, which GitHub refuses for good reason. */
type InstallationToken = { readonly token: string; readonly mintedAt: number };

/**
 * A token for one repository. If the installation lacks permissions, the token is only good for comments; GitHub then
 * refuses everything else. For members and checks there is no such token. `refresh` replaces a cached one.
 */
export async function fetchInstallationToken(
  options: TokenOptions,
  access: TokenAccess,
  refresh: boolean,
): Promise<InstallationToken> {
  try {
    return await createToken(options, TOKEN_PERMISSIONS[access], refresh);
  } catch (error) {
    if (!hasRemedy(error, 'lesser-token') || (access !== 'read-only' && access !== 'read-write')) throw error;
    const { token } = await createToken(options, REDUCED_PERMISSIONS[access], refresh);
    return { token, mintedAt: 0 };
  }
}

/** The permissions that the installation lacks. Only if GitHub refuses the token for writing, it is asked which. */
export async function fetchMissingPermissions(options: TokenOptions): Promise<readonly RequiredPermission[]> {
  const { app, ref } = options;
  try {
    await createToken(options, TOKEN_PERMISSIONS['read-write'], false);
    return [];
  } catch (error) {
    if (!hasRemedy(error, 'lesser-token')) throw error;
    const { data } = await app.rest.apps.getRepoInstallation({ owner: ref.owner, repo: ref.repo });
    return missingPermissions(data.permissions);
  }
}

const MintedToken = z.object({ token: z.string() });

async function createToken(
  { app, ref: { installationId, repositoryId }, mintedAt, now }: TokenOptions,
  permissions: TokenPermissions,
  refresh: boolean,
): Promise<InstallationToken> {
  const repositoryIds = [repositoryId];
  const minted = await app.auth({ type: 'installation', installationId, repositoryIds, permissions, refresh });
  const { token } = MintedToken.parse(minted);
  if (!mintedAt.has(token)) mintedAt.set(token, now());
  return { token, mintedAt: mintedAt.get(token) ?? now() };
}
