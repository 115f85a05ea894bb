import { z } from 'zod';
import { missingPermissions, REQUIRED_PERMISSIONS, type RequiredPermission } from '../../core/state/app-setup.ts';
import type { PullRequestRef } from '../../core/state/intent.ts';
import { GitHubError } from '../../core/state/ports.ts';
import type { GitHubClient } from './client.ts';
import { GitHubRequestError, toGitHubError } from './errors.ts';

/** Reading and writing use different tokens, so that code which serves the model cannot change anything. */
export type TokenAccess = 'read-only' | 'read-write';

type TokenOptions = {
  /** Authenticates as the App. It creates installation tokens and caches them for 59 minutes. */
  readonly app: GitHubClient;
  readonly ref: Pick<PullRequestRef, 'installationId' | 'repositoryId'>;
  readonly now: () => number;
};

type TokenPermissions = Readonly<Partial<Record<keyof typeof REQUIRED_PERMISSIONS, 'read' | 'write'>>>;

const TOKEN_PERMISSIONS = {
  'read-only': { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
  'read-write': REQUIRED_PERMISSIONS,
} as const satisfies Record<TokenAccess, TokenPermissions>;

/** Enough to read who speaks and to answer them, for an installation that has not granted everything. */
const REDUCED_PERMISSIONS = {
  'read-only': { metadata: 'read' },
  'read-write': { pull_requests: 'write', metadata: 'read' },
} as const satisfies Record<TokenAccess, TokenPermissions>;

export const InstallationToken = z.object({ token: z.string() });

/**
 * A token for one repository. If the installation lacks permissions, the token is only good for comments; GitHub then
 * refuses everything else.
 */
export async function fetchInstallationToken(
  options: TokenOptions,
  access: TokenAccess,
  refresh: boolean,
): Promise<string> {
  try {
    return await requestToken(options, TOKEN_PERMISSIONS[access], refresh);
  } catch (error) {
    if (!isNotGranted(error)) throw error;
    return requestToken(options, REDUCED_PERMISSIONS[access], refresh);
  }
}

/** The permissions that the installation lacks. Only if GitHub refuses the token for writing, it is asked which. */
export async function fetchMissingPermissions(
  options: TokenOptions & { readonly ref: PullRequestRef },
): Promise<readonly RequiredPermission[]> {
  const { app, ref, now } = options;
  try {
    await requestToken(options, TOKEN_PERMISSIONS['read-write'], false);
    return [];
  } catch (error) {
    if (!isNotGranted(error)) throw toGitHubError(error, now());
  }
  try {
    const { data } = await app.rest.apps.getRepoInstallation({ owner: ref.owner, repo: ref.repo });
    const installation = Installation.safeParse(data);
    if (!installation.success) throw new GitHubError('GitHub returned the installation in an unknown form', null, null);
    return missingPermissions(installation.data.permissions);
  } catch (error) {
    throw toGitHubError(error, now());
  }
}

const Installation = z.object({ permissions: z.record(z.string(), z.unknown()) });

async function requestToken(
  { app, ref }: TokenOptions,
  permissions: TokenPermissions,
  refresh: boolean,
): Promise<string> {
  const response = await app.auth({
    type: 'installation',
    installationId: ref.installationId,
    repositoryIds: [ref.repositoryId],
    permissions,
    refresh,
  });
  return InstallationToken.parse(response).token;
}

/** Whether GitHub refused a token because the installation has not granted all of its permissions. */
function isNotGranted(error: unknown): boolean {
  const failure = toGitHubError(error, 0);
  return (
    failure instanceof GitHubRequestError &&
    failure.status === 422 &&
    /permissions requested are not granted/i.test(failure.detail)
  );
}
