import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import { missingPermissions, REQUIRED_PERMISSIONS, type RequiredPermission } from '../../../core/step/app-rights.ts';
import { GitHubError } from '../../../core/step/ports.ts';
import type { GitHubClient } from './client.ts';
import { GitHubRequestError, toGitHubError } from './errors.ts';

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

/** A token with the time (ms) at which it was created; 0 for a reduced one, which GitHub refuses for good reason. */
export const InstallationToken = z
  .object({ token: z.string(), createdAt: z.string().default('') })
  .transform(({ token, createdAt }) => ({ token, mintedAt: Date.parse(createdAt) || 0 }));

export type InstallationToken = z.infer<typeof InstallationToken>;

/**
 * A token for one repository. If the installation lacks permissions, the token is only good for comments; GitHub then
 * refuses everything else. For members there is no such token.
 */
export async function fetchInstallationToken(
  options: TokenOptions,
  access: TokenAccess,
  refresh: boolean,
): Promise<InstallationToken> {
  try {
    return await requestToken(options, TOKEN_PERMISSIONS[access], refresh);
  } catch (error) {
    if (!isNotGranted(error) || access === 'members') throw error;
    const { token } = await requestToken(options, REDUCED_PERMISSIONS[access], refresh);
    return { token, mintedAt: 0 };
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
async function requestToken(
  options: TokenOptions,
  permissions: TokenPermissions,
  refresh: boolean,
): Promise<InstallationToken> {
  const refusal = options.refusals.find({ ...options.ref, permissions });
  if (refusal !== undefined) throw refusal;
  return createToken(options, permissions, refresh);
}

async function createToken(
  { app, refusals, ref: { installationId, repositoryId }, now }: TokenOptions,
  permissions: TokenPermissions,
  refresh: boolean,
): Promise<InstallationToken> {
  const repositoryIds = [repositoryId];
  try {
    const response = await app.auth({ type: 'installation', installationId, repositoryIds, permissions, refresh });
    return InstallationToken.parse(response);
  } catch (error) {
    const failure = toGitHubError(error, now());
    refusals.remember({ installationId, repositoryId, permissions }, failure);
    throw failure;
  }
}

/** A token that GitHub was asked for: its access to one repository of an installation. */
type TokenRequest = {
  readonly installationId: number;
  readonly repositoryId: number;
  readonly permissions: Readonly<Record<string, string>>;
};

/**
 * The tokens that GitHub refused within the last minute. No rate limit counts requests for tokens, and each webhook
 * needs one, so strangers could cause any number of them.
 */
type TokenRefusals = {
  /** The refusal that answers this request too; undefined if GitHub must be asked. */
  find(request: TokenRequest): GitHubRequestError | undefined;
  /** Remembers a failure if it is a refusal. */
  remember(request: TokenRequest, failure: unknown): void;
  /** Forgets the refusals of an installation, because it has changed. */
  forget(installationId: number): void;
};

const REFUSAL_TTL_MS = 60_000;

const MAX_REFUSALS = 10_000;

/** `now` is the clock (ms) by which refusals expire. */
export function createTokenRefusals(now: () => number): TokenRefusals {
  const refusals = new LRUCache<string, GitHubRequestError>({
    // A resolution above 0 would cache the time with a real timer, which breaks virtual clocks.
    ...{ max: MAX_REFUSALS, ttl: REFUSAL_TTL_MS, ttlResolution: 0, perf: { now } },
  });
  return {
    find: (request) => refusals.get(keyOf(request)) ?? refusals.get(keyInRepository(request)),
    remember(request, failure) {
      if (!(failure instanceof GitHubRequestError) || failure.isRateLimit) return;
      if (concernsInstallation(failure)) refusals.set(keyOf(request), failure);
      else if (failure.status === 422) refusals.set(keyInRepository(request), failure);
    },
    forget(installationId) {
      for (const key of [...refusals.keys()]) if (key.startsWith(`${installationId}:`)) refusals.delete(key);
    },
  };
}

/**
 * Whether a refusal is the same for each of the installation's repositories: it is suspended, gone, or lacks a
 * permission.
 */
function concernsInstallation(failure: GitHubRequestError): boolean {
  return failure.status === 403 || failure.status === 404 || isNotGranted(failure);
}

/** Whether GitHub refused a token because the installation has not granted all of its permissions. */
export function isNotGranted(failure: unknown): boolean {
  return (
    failure instanceof GitHubRequestError &&
    failure.status === 422 &&
    /permissions requested are not granted/i.test(failure.detail)
  );
}

function keyOf({ installationId, permissions }: TokenRequest): string {
  return `${installationId}:${JSON.stringify(permissions)}`;
}

function keyInRepository(request: TokenRequest): string {
  return `${keyOf(request)}:${request.repositoryId}`;
}
