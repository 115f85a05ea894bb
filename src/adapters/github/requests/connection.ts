import { LRUCache } from 'lru-cache';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import type { RequiredPermission } from '../../../core/step/app-rights.ts';
import { type GitHub, GitHubError, type PullRequestFile, type Tree } from '../../../core/step/ports.ts';
import type { GitHubClient } from './client.ts';
import { GitHubRequestError, toGitHubError, waitForYoungToken } from './errors.ts';
import { fetchInstallationToken, type TokenAccess, type TokenOptions } from './tokens.ts';

/** Everything that the functions of this folder need to access one pull request. */
export type PullConnection = {
  readonly ref: PullRequestRef;
  readonly read: ApiCall;
  readonly write: ApiCall;
  /** Fails if the installation does not let the App see the members of its organization. */
  readonly readMembers: ApiCall;
  readonly caches: GitHubCaches;
  /** Numeric id of the App's bot account, which identifies the App's own comments. */
  readonly botId: () => Promise<number>;
  readonly missingPermissions: () => Promise<readonly RequiredPermission[]>;
  readonly now: () => number;
};

/** Calls `send` with a client whose token covers one repository. Failures are `GitHubError`s. */
type ApiCall = <Result>(send: (client: GitHubClient) => Promise<Result>) => Promise<Result>;

/** The limits of one installation. */
export type CallLimit = {
  /** A request of this client above the limit fails with a `RateLimitExceededError`. */
  limit(client: GitHubClient): GitHubClient;
  /** Stops all requests of the installation until this time (ms). */
  pauseUntil(until: number): void;
};

type ApiCallOptions = TokenOptions & {
  readonly createClient: (token: string) => GitHubClient;
  readonly limit: CallLimit;
};

/**
 * Creates calls that use tokens with this access. After a 401, a call is sent once more with a new token; a token that
 * is only seconds old is kept, because a newer one would be refused too.
 */
export function createApiCall(options: ApiCallOptions, access: TokenAccess): ApiCall {
  const attempt = async <Result>(
    send: (client: GitHubClient) => Promise<Result>,
    refresh: boolean,
  ): Promise<Result> => {
    const { token, mintedAt } = await fetchInstallationToken(options, access, refresh);
    return send(options.limit.limit(options.createClient(token))).catch((error: unknown) => {
      throw waitForYoungToken(toGitHubError(error, options.now()), mintedAt, options.now());
    });
  };
  return async (send) => {
    try {
      return await attempt(send, false).catch((error: unknown) => {
        if (!isUnauthorized(error)) throw error;
        return attempt(send, true);
      });
    } catch (error) {
      if (error instanceof GitHubRequestError && error.isRateLimit && error.retryAt !== null)
        options.limit.pauseUntil(error.retryAt);
      throw error;
    }
  };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof GitHubRequestError && error.status === 401 && error.retryAt === null;
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

/** More than any list of GitHub has. A server, or a proxy, can always name a next page. */
const MAX_PAGES = 1_000;

/** Fails at a page that was read before, and after too many; `page` is its address or cursor. */
export function createPageGuard(): (page: string | null) => void {
  const seen = new Set<string | null>();
  return (page) => {
    if (seen.has(page)) throw new GitHubError('GitHub’s pages of a list repeat', null, null);
    if (seen.size === MAX_PAGES) throw new GitHubError(`GitHub’s list has more than ${MAX_PAGES} pages`, null, null);
    seen.add(page);
  };
}

/**
 * The callback for `octokit.paginate`: returns all items, or stops after the page with which there are enough. Octokit
 * turns a 409 into an empty page without a URL; here it is an error.
 */
export function allItems<Item>(
  isEnough: (items: readonly Item[]) => boolean = () => false,
): (page: RestPage<Item>, done: () => void) => Item[] {
  const items: Item[] = [];
  const enterPage = createPageGuard();
  return ({ status, url, data }, done) => {
    if (url === undefined) throw new GitHubError('GitHub answered a list with status 409', 409, null);
    enterPage(url);
    if (status !== 200 || !Array.isArray(data)) throw new GitHubError('GitHub returned no list', null, null);
    items.push(...data);
    if (isEnough(items)) done();
    return [...data];
  };
}

/**
 * Immutable data, and data that GitHub revalidates. The keys (see `cacheKey`) start with the repository's id, so
 * repositories never share an entry.
 */
type GitHubCaches = {
  /** By the commit's SHA; also that a tree is too large to list. */
  readonly trees: Cache<Tree | 'too-large'>;
  /** The last trees of branches, by name. */
  readonly branchTrees: Cache<CachedBranchTree>;
  readonly blobs: Cache<Uint8Array>;
  /** Changed files by pull request number and head. */
  readonly files: Cache<readonly PullRequestFile[]>;
  /** The merge base of two commits. */
  readonly mergeBases: Cache<string>;
  readonly anchors: Cache<CommentAnchor>;
  /** Thread ids by the node id of the first comment. */
  readonly threads: Cache<string>;
  /** The settings and `CODEOWNERS`, by path. */
  readonly settings: Cache<CachedFile>;
  /** Permissions below write, by login. */
  readonly insufficientPermissions: Cache<Awaited<ReturnType<GitHub['fetchPermission']>>>;
};

type Cache<Value extends object | string> = Pick<LRUCache<string, Value>, 'get' | 'set'>;

/** The position of a review comment's thread, which GitHub requires with each reply. */
export type CommentAnchor = { readonly path: string; readonly commit: string };

/** The last tree of a branch with its `etag`. */
type CachedBranchTree = { readonly etag: string; readonly tree: Tree };

/** A file of the default branch. Above 1 MB it is only named by its blob. A directory or a broken link is no file. */
export type DefaultBranchFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly size: number; readonly sha: string }
  | { readonly kind: 'link' }
  | { readonly kind: 'no-file' };

/** The file as last read, with its `etag`. GitHub accepts an `etag` only with the token that received it. */
export type CachedFile = { readonly etag: string; readonly file: DefaultBranchFile };

/** A person who is granted access can use it after 60 s at the latest. */
const PERMISSION_TTL_MS = 60_000;

const MAX_ENTRIES = { max: 10_000 };

const MAX_TREE_ENTRIES = 1_000_000;

const MAX_BLOB_CACHE_BYTES = 64 * 1024 * 1024;

const MAX_PATCH_CHARACTERS = 8_000_000;

const MAX_SETTINGS_CACHE_BYTES = 8 * 1024 * 1024;

/** `now` is the clock (ms) by which insufficient permissions expire. */
export function createCaches(now: () => number): GitHubCaches {
  return {
    trees: new LRUCache({ maxSize: MAX_TREE_ENTRIES, sizeCalculation: sizeOfTree }),
    branchTrees: new LRUCache({
      maxSize: MAX_TREE_ENTRIES,
      sizeCalculation: ({ tree }: CachedBranchTree) => tree.size + 1,
    }),
    blobs: new LRUCache({ maxSize: MAX_BLOB_CACHE_BYTES, sizeCalculation: (bytes: Uint8Array) => bytes.length + 64 }),
    files: new LRUCache({ maxSize: MAX_PATCH_CHARACTERS, sizeCalculation: sizeOfFiles }),
    mergeBases: new LRUCache(MAX_ENTRIES),
    anchors: new LRUCache(MAX_ENTRIES),
    threads: new LRUCache(MAX_ENTRIES),
    settings: new LRUCache({ maxSize: MAX_SETTINGS_CACHE_BYTES, sizeCalculation: sizeOfSettings }),
    // A resolution above 0 would cache the time with a real timer, which breaks virtual clocks.
    insufficientPermissions: new LRUCache({ ...MAX_ENTRIES, ttl: PERMISSION_TTL_MS, ttlResolution: 0, perf: { now } }),
  };
}

function sizeOfTree(tree: Tree | 'too-large'): number {
  return tree === 'too-large' ? 1 : tree.size + 1;
}

function sizeOfFiles(files: readonly PullRequestFile[]): number {
  return files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0) + 64, 64);
}

function sizeOfSettings({ file }: CachedFile): number {
  return 500 + (file.kind === 'file' ? file.bytes.byteLength : 0);
}

/** The key of an object of this repository. */
export function cacheKey(ref: PullRequestRef, name: string | number): string {
  return `${ref.repositoryId}:${name}`;
}
