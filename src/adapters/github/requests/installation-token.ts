import { z } from 'zod';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import { missingPermissions, REQUIRED_PERMISSIONS, type RequiredPermission } from '../../../core/step/app-setup.ts';
import { GitHubError } from '../../../core/step/ports.ts';
import type { GitHubClient } from './client.ts';
import { toGitHubError } from './errors.ts';
import { isNotGranted, type TokenRefusals } from './token-refusals.ts';

/** Reading and writing use different tokens, so that code which serves the model cannot change anything. */
export type TokenAccess = 'read-only' | 'read-write' | 'members';

export type TokenOptions = {
  /** Authenticates as the App. It creates installation tokens and caches them for 59 minutes. */
  readonly app: GitHubClient;
  readonly refusals: TokenRefusals;
  readonly ref: Pick<PullRequestRef, 'installationId' | 'repositoryId'>;
  readonly now: () => number;
};

type TokenPermissions = Readonly<Partial<Record<keyof typeof REQUIRED_PERMISSIONS | 'members', 'read' | 'write'>>>;

const TOKEN_PERMISSIONS = {
  'read-only': { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
  'read-write': REQUIRED_PERMISSIONS,
  // Only this tells whether somebody is in a team. An installation can do without it.
  members: { members: 'read', metadata: 'read' },
} as const satisfies Record<TokenAccess, TokenPermissions>;

/** Enough to read who speaks and to answer them, for an installation that has not granted everything. */
const REDUCED_PERMISSIONS = {
  'read-only': { metadata: 'read' },
  'read-write': { pull_requests: 'write', metadata: 'read' },
} as const satisfies Record<Exclude<TokenAccess, 'members'>, TokenPermissions>;

export const InstallationToken = z.object({ token: z.string() });

/**
 * A token for one repository. If the installation lacks permissions, the token is only good for comments; GitHub then
 * refuses everything else. For members there is no such token.
 */
export async function fetchInstallationToken(
  options: TokenOptions,
  access: TokenAccess,
  refresh: boolean,
): Promise<string> {
  try {
    return await requestToken(options, TOKEN_PERMISSIONS[access], refresh);
  } catch (error) {
    if (!isNotGranted(error) || access === 'members') throw error;
    return requestToken(options, REDUCED_PERMISSIONS[access], refresh);
  }
}

/**
 * The permissions that the installation lacks. Only if GitHub refuses the token for writing, it is asked which. People
 * with write access cause this, so a grant takes effect at once.
 */
export async function fetchMissingPermissions(
  options: TokenOptions & { readonly ref: PullRequestRef },
): Promise<readonly RequiredPermission[]> {
  const { app, refusals, ref, now } = options;
  try {
    await createToken(options, TOKEN_PERMISSIONS['read-write'], false);
    refusals.forget(ref.installationId);
    return [];
  } catch (error) {
    if (!isNotGranted(error)) throw toGitHubError(error, now());
  }
  try {
    const { data } = await app.rest.apps.getRepoInstallation({ owner: ref.owner, repo: ref.repo });
    const installation = InstallationResponse.safeParse(data);
    if (!installation.success) throw new GitHubError('GitHub returned the installation in an unknown form', null, null);
    return missingPermissions(installation.data.permissions);
  } catch (error) {
    throw toGitHubError(error, now());
  }
}

const InstallationResponse = z.object({ permissions: z.record(z.string(), z.unknown()) });

/** Throws the last refusal again for a minute. */
async function requestToken(options: TokenOptions, permissions: TokenPermissions, refresh: boolean): Promise<string> {
  const refusal = options.refusals.find({ ...options.ref, permissions });
  if (refusal !== undefined) throw refusal;
  return createToken(options, permissions, refresh);
}

async function createToken(
  { app, refusals, ref: { installationId, repositoryId }, now }: TokenOptions,
  permissions: TokenPermissions,
  refresh: boolean,
): Promise<string> {
  const repositoryIds = [repositoryId];
  try {
    const response = await app.auth({ type: 'installation', installationId, repositoryIds, permissions, refresh });
    return InstallationToken.parse(response).token;
  } catch (error) {
    const failure = toGitHubError(error, now());
    refusals.remember({ installationId, repositoryId, permissions }, failure);
    throw failure;
  }
}
