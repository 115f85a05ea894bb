import { LRUCache } from 'lru-cache';
import { GitHubRequestError } from './errors.ts';

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
export type TokenRefusals = {
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
