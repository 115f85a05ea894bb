import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import type { RequiredPermission } from '../../../core/step/app-rights.ts';
import type { PullFacts } from '../../../core/step/facts.ts';
import {
  type GitHub,
  GitHubError,
  LeaseLostError,
  type PullRequestFile,
  RateLimitExceededError,
  type Tree,
  WRITE_TIMEOUT_MS,
} from '../../../core/step/ports.ts';
import { type CreateClient, type GitHubClient, kindOf, type RequestKind } from './client.ts';
import { GitHubRequestError, hasRemedy, withTokenAge } from './errors.ts';
import { fetchInstallationToken, type TokenAccess, type TokenCaches } from './tokens.ts';

/** Everything that the functions of this folder need to access one pull request. */
export type PullConnection = {
  readonly ref: PullRequestRef;
  readonly read: GitHubClient;
  readonly write: GitHubClient;
  /** Fails if the installation does not let the App see the members of its organization. */
  readonly readMembers: GitHubClient;
  /** Fails if the installation does not let the App write check runs. */
  readonly writeChecks: GitHubClient;
  /** Fails if the installation does not let the App see checks, statuses and logs. */
  readonly readChecks: GitHubClient;
  /** The end of a file in GitHub's storage; null if there is none. */
  readonly download: (address: string) => Promise<Uint8Array | null>;
  readonly caches: GitHubCaches;
  /** The root directory of the default branch, and when (ms) a request of this attempt that told it was sent. */
  readonly defaultRoot: { sha: string | null; readAt: number };
  /** Numeric id of the App's bot account, which identifies the App's own comments. */
  readonly botId: () => Promise<number>;
  readonly slug: () => Promise<string>;
  readonly missingPermissions: () => Promise<readonly RequiredPermission[]>;
  readonly now: () => number;
};

type RepositoryClientOptions = {
  readonly app: GitHubClient;
  readonly createClient: CreateClient;
  readonly ref: PullRequestRef;
  readonly limits: WriteLimits;
  readonly caches: TokenCaches;
  /** Called immediately before each write; false fails the request with a `LeaseLostError`. */
  readonly canWrite: () => boolean;
  readonly now: () => number;
};

/**
 * Creates a client whose tokens have this access to one repository, and hold to the limits of its installation. After
 * a 401, a request is sent once more with a new token; a token that is only seconds old is kept, because a newer one
 * would be refused too.
 */
export function createRepositoryClient(options: RepositoryClientOptions, access: TokenAccess): GitHubClient {
  const { createClient, ref, limits, canWrite, now } = options;
  const client = createClient({}, ref);
  client.hook.wrap('request', async (request, sent) => {
    const kind = kindOf(sent);
    const send = async (refresh: boolean) => {
      const { token, mintedAt } = await fetchInstallationToken(options, access, refresh);
      const waitUntil = limits.take(ref.installationId, kind);
      if (waitUntil !== null) throw new RateLimitExceededError(waitUntil);
      if (kind !== 'read' && !canWrite()) throw new LeaseLostError();
      sent.headers.authorization = `token ${token}`;
      sent.request = { ...sent.request, ...(kind === 'read' ? {} : { maxMs: WRITE_TIMEOUT_MS }) };
      try {
        return await request(sent);
      } catch (error) {
        throw withTokenAge(error, now() - mintedAt, now());
      }
    };
    try {
      return await send(false).catch((error: unknown) => {
        if (error instanceof GitHubRequestError && error.status === 401 && error.retryAt === null) return send(true);
        throw error;
      });
    } catch (error) {
      if (hasRemedy(error, 'pause-installation') && error.retryAt !== null)
        limits.pause(ref.installationId, error.retryAt);
      throw error;
    }
  });
  return client;
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

/** A list with fewer entries is complete, with each of the sizes below. */
export const SMALLEST_PAGE = 10;

/** For lists that hardly ever have more, beside something else that must not fail. */
export const SMALL_PAGE_SIZES = [30, SMALLEST_PAGE] as const;

/** Page sizes, for lists that GitHub can find too heavy. */
export const PAGE_SIZES = [PAGE_SIZE, ...SMALL_PAGE_SIZES] as const;

/** Asks with the first size, and with the next one wherever GitHub finds that too much to answer. */
export async function withSmallerPages<Size, Result>(
  [size, ...smaller]: readonly [Size, ...Size[]],
  ask: (size: Size) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(size);
  } catch (error) {
    const [next, ...others] = smaller;
    if (next === undefined || !hasRemedy(error, 'smaller-pages')) throw error;
    return withSmallerPages([next, ...others], ask);
  }
}

/** Asks with this query, and on a server without `fullDatabaseId` with a field that has the same for smaller ids. */
export async function withOlderIds<Result>(query: string, ask: (query: string) => Promise<Result>): Promise<Result> {
  try {
    return await ask(query);
  } catch (error) {
    if (!hasRemedy(error, 'older-fields')) throw error;
    return ask(query.replaceAll('fullDatabaseId', 'fullDatabaseId: databaseId'));
  }
}

/** The first page of a list, as query parameters of REST. */
export const PAGES = { per_page: PAGE_SIZE, page: 1 };

/** Sends a GraphQL request. Fails if the response does not have this form. */
export async function askGraphql<Form extends z.ZodType>(
  client: GitHubClient,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  form: Form,
): Promise<z.output<Form>> {
  const response: unknown = await client.graphql(query, { ...variables });
  const parsed = form.safeParse(response);
  if (parsed.success) return parsed.data;
  throw new GitHubError(`GitHub answered ${/\w+ \w+/.exec(query)?.[0]} in an unknown form`, null, null);
}

/** The nodes of a GraphQL list. One that the App may not see is null. */
export function visibleNodes<Form extends z.ZodType>(form: Form) {
  return z.array(form.nullable()).transform((nodes) => nodes.flatMap((node) => (node === null ? [] : [node])));
}

/** The keys (see `cacheKey`) start with the repository's id, so that repositories never share an entry. */
type GitHubCaches = TokenCaches & {
  /** Recursive listings, and listings of single directories, by the SHA of a commit or tree. */
  readonly trees: Cache<Tree>;
  readonly directories: Cache<Tree>;
  readonly blobs: Cache<Uint8Array>;
  /** Pull requests as they were read a moment ago, by `pullKey`. */
  readonly pulls: Cache<PullFacts>;
  /** Root directories of default branches as they were read a moment ago, by the branch. */
  readonly defaultRoots: Cache<string>;
  /** Changed files by pull request number and head. */
  readonly files: Cache<readonly PullRequestFile[]>;
  /** The merge base of two commits. */
  readonly mergeBases: Cache<string>;
  readonly anchors: Cache<CommentAnchor>;
  /** Thread ids by the node id of the first comment. */
  readonly threads: Cache<string>;
  /** Permissions below write, by login. */
  readonly insufficientPermissions: Cache<Awaited<ReturnType<GitHub['fetchPermission']>>>;
  /** What GitHub refused a short while ago: check runs of an installation, the label of a repository. */
  readonly refused: Cache<string>;
};

type Cache<Value extends object | string> = Pick<LRUCache<string, Value>, 'get' | 'set' | 'delete'>;

/** The position of a review comment's thread, which GitHub requires with each reply. */
type CommentAnchor = { readonly path: string; readonly commit: string };

/** A person who is granted access can use it after 60 s at the latest. */
const PERMISSION_TTL_MS = 60_000;

/** A permission that is granted, or a label that is created, is used after that time at the latest. */
const REFUSED_TTL_MS = 10 * 60_000;

/** For the effects of one step, which follow each other. */
export const RECENT_TTL_MS = 2_000;

const MAX_ENTRIES = { max: 10_000 };

const MAX_TREE_ENTRIES = 1_000_000;

const MAX_BLOB_CACHE_BYTES = 64 * 1024 * 1024;

const MAX_PATCH_CHARACTERS = 8_000_000;

/** `now` is the clock (ms) by which insufficient permissions expire. */
export function createCaches(now: () => number): GitHubCaches {
  const trees = { maxSize: MAX_TREE_ENTRIES, sizeCalculation: (tree: Tree) => tree.size + 1 };
  return {
    trees: new LRUCache(trees),
    directories: new LRUCache(trees),
    blobs: new LRUCache({ maxSize: MAX_BLOB_CACHE_BYTES, sizeCalculation: (bytes: Uint8Array) => bytes.length + 64 }),
    pulls: new LRUCache({ max: 1_000, ttl: RECENT_TTL_MS, ttlResolution: 0, perf: { now } }),
    defaultRoots: new LRUCache({ max: 1_000, ttl: RECENT_TTL_MS, ttlResolution: 0, perf: { now } }),
    files: new LRUCache({ maxSize: MAX_PATCH_CHARACTERS, sizeCalculation: sizeOfFiles }),
    mergeBases: new LRUCache(MAX_ENTRIES),
    anchors: new LRUCache(MAX_ENTRIES),
    threads: new LRUCache(MAX_ENTRIES),
    // A resolution above 0 would cache the time with a real timer, which breaks virtual clocks.
    refused: new LRUCache({ ...MAX_ENTRIES, ttl: REFUSED_TTL_MS, ttlResolution: 0, perf: { now } }),
    refusedTokens: new LRUCache({ ...MAX_ENTRIES, ttl: REFUSED_TTL_MS, ttlResolution: 0, perf: { now } }),
    mintedAt: new LRUCache(MAX_ENTRIES),
    insufficientPermissions: new LRUCache({ ...MAX_ENTRIES, ttl: PERMISSION_TTL_MS, ttlResolution: 0, perf: { now } }),
  };
}

function sizeOfFiles(files: readonly PullRequestFile[]): number {
  return files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0) + 64, 64);
}

/** The key of an object of this repository. */
export function cacheKey(ref: PullRequestRef, name: string | number): string {
  return `${ref.repositoryId}:${name}`;
}

/** The key of the pull request itself. */
export function pullKey(ref: PullRequestRef): string {
  return cacheKey(ref, ref.number);
}

/** The cached value of this key; else what `load` returns, which is cached too. */
export async function cached<Value extends object | string>(
  cache: Cache<Value>,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loaded = await load();
  cache.set(key, loaded);
  return loaded;
}

/** GitHub's secondary limits of writes, per installation. GitHub does not report how much of them is used. */
const WRITE_LIMITS = [
  { max: 80, windowMs: 60_000 },
  { max: 500, windowMs: 3_600_000 },
];

/** Comments leave the last tenth of each limit to commits. */
const COMMENT_SHARE = 0.9;

/** Longest time between sending a request and its arrival at GitHub (ms). */
const NETWORK_DELAY_MS = 5_000;

const MAX_INSTALLATIONS = { max: 10_000 };

/** Counts the writes of this process, and keeps the waits that GitHub demands. */
type WriteLimits = {
  /** Counts a request and returns null, or returns the time (ms) before which it must not be sent. */
  take(installationId: number, kind: RequestKind): number | null;
  /** Stops all requests of the installation until this time (ms). */
  pause(installationId: number, until: number): void;
};

/** `countsWrites` is false for an Enterprise Server, which has no such limits. `onWait` counts the waits. */
export function createWriteLimits(
  now: () => number,
  countsWrites: boolean,
  onWait: (source: 'own' | 'github') => void,
): WriteLimits {
  const written = new LRUCache<number, readonly number[]>(MAX_INSTALLATIONS);
  const pausedUntil = new LRUCache<number, number>(MAX_INSTALLATIONS);
  return {
    take(installationId, kind) {
      const paused = pausedUntil.get(installationId) ?? 0;
      if (paused > now()) return paused;
      if (kind === 'read' || !countsWrites) return null;
      const times = written.get(installationId) ?? [];
      const freeAt = WRITE_LIMITS.map(({ max, windowMs }) => {
        const allowed = kind === 'commit' ? max : max * COMMENT_SHARE;
        return (times.at(-allowed) ?? Number.NEGATIVE_INFINITY) + windowMs + NETWORK_DELAY_MS;
      });
      const waitUntil = Math.max(...freeAt);
      if (waitUntil <= now()) {
        written.set(installationId, [...times, now()].slice(-Math.max(...WRITE_LIMITS.map(({ max }) => max))));
        return null;
      }
      onWait('own');
      return waitUntil;
    },
    pause(installationId, until) {
      onWait('github');
      pausedUntil.set(installationId, Math.max(pausedUntil.get(installationId) ?? 0, until));
    },
  };
}
