import type { RequiredPermission } from '../../core/state/app-registration.ts';
import type { PullRequestRef } from '../../core/state/intent.ts';
import { GitHubError } from '../../core/state/ports.ts';
import type { GitHubCaches } from './caches.ts';
import type { GitHubClient } from './client.ts';
import { GitHubRequestError, toGitHubError } from './errors.ts';
import { fetchInstallationToken, type TokenAccess } from './installation-token.ts';

/** Everything that the functions of this folder need to access one pull request. */
export type PullConnection = {
  readonly ref: PullRequestRef;
  readonly read: ApiCall;
  readonly write: ApiCall;
  readonly caches: GitHubCaches;
  /** Numeric id of the App's bot account, which identifies the App's own comments. */
  readonly botId: () => Promise<number>;
  readonly missingPermissions: () => Promise<readonly RequiredPermission[]>;
  readonly now: () => number;
  /** Minimum lead of GitHub's clock over `now` (ms). */
  readonly minClockSkewMs: () => number;
};

/** Calls `send` with a client whose token covers one repository. Failures are `GitHubError`s. */
type ApiCall = <Result>(send: (client: GitHubClient) => Promise<Result>) => Promise<Result>;

/** The rate limit of one installation, for one priority. */
export type CallRateLimit = {
  /** Counts each request of this client; a request above the limit fails with a `RateLimitExceededError`. */
  limit(client: GitHubClient): GitHubClient;
  /** Stops all requests of the installation until this time (ms). */
  pauseUntil(until: number): Promise<void>;
};

type ApiCallOptions = {
  /** Authenticates as the App. It creates installation tokens and caches them for 59 minutes. */
  readonly app: GitHubClient;
  readonly createClient: (token: string) => GitHubClient;
  readonly rateLimit: CallRateLimit;
  readonly ref: Pick<PullRequestRef, 'installationId' | 'repositoryId'>;
  readonly now: () => number;
};

/** Creates calls that use tokens with this access. After a 401, a call is sent once more with a new token. */
export function createApiCall(options: ApiCallOptions, access: TokenAccess): ApiCall {
  const openClient = async (refresh: boolean): Promise<GitHubClient> =>
    options.rateLimit.limit(options.createClient(await fetchInstallationToken(options, access, refresh)));
  return async (send) => {
    try {
      return await send(await openClient(false)).catch(async (error: unknown) => {
        if (!isUnauthorized(error)) throw error;
        return send(await openClient(true));
      });
    } catch (error) {
      const failure = toGitHubError(error, options.now());
      // The pause is stored before the error is thrown, so that no other call of this installation is sent in between.
      if (failure instanceof GitHubRequestError && failure.isRateLimit && failure.retryAt !== null)
        await options.rateLimit.pauseUntil(failure.retryAt);
      throw failure;
    }
  };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 401;
}

/** The repository, as path parameters of REST. */
export function repositoryParams({ owner, repo }: PullRequestRef): { readonly owner: string; readonly repo: string } {
  return { owner, repo };
}

/** The pull request, as path parameters of REST. */
export function pullParams(ref: PullRequestRef) {
  return { ...repositoryParams(ref), pull_number: ref.number } as const;
}

/** GitHub's maximum. */
export const PAGE_SIZE = 100;

/** The first page of a list, as query parameters of REST. */
export const PAGES = { per_page: PAGE_SIZE, page: 1 };

type RestPage<Item> = { readonly status: number; readonly url?: string; readonly data: readonly Item[] };

/**
 * The callback for `octokit.paginate`: returns all items, or stops after the page with which there are enough. Octokit
 * turns a 409 into an empty page without a URL; here it is an error.
 */
export function allItems<Item>(
  isEnough: (items: readonly Item[]) => boolean = () => false,
): (page: RestPage<Item>, done: () => void) => Item[] {
  const items: Item[] = [];
  return ({ status, url, data }, done) => {
    if (url === undefined) throw new GitHubError('GitHub answered a list with status 409', 409, null);
    if (status !== 200 || !Array.isArray(data)) throw new GitHubError('GitHub returned no list', null, null);
    items.push(...data);
    if (isEnough(items)) done();
    return [...data];
  };
}
