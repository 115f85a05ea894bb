import { LRUCache } from 'lru-cache';
import type { PullRequestRef } from '../../core/state/intent.ts';
import type { GitHub, PullRequestFile, SettingsFileLookup, Tree } from '../../core/state/ports.ts';

/**
 * Immutable data, and data that GitHub revalidates. The keys (see `cacheKey`) start with the repository's id, so
 * repositories never share an entry.
 */
export type GitHubCaches = {
  /** By the commit's SHA. */
  readonly trees: Cache<Tree>;
  readonly blobs: Cache<Uint8Array>;
  /** Changed files by pull request number and head. */
  readonly files: Cache<readonly PullRequestFile[]>;
  readonly anchors: Cache<CommentAnchor>;
  /** Thread ids by the node id of the first comment. */
  readonly threads: Cache<string>;
  readonly settings: Cache<CachedSettingsFile>;
  /** Permissions below write, by login. */
  readonly insufficientPermissions: Cache<Awaited<ReturnType<GitHub['fetchPermission']>>>;
};

type Cache<Value extends object | string> = Pick<LRUCache<string, Value>, 'get' | 'set'>;

/** The position of a review comment's thread, which GitHub requires with each reply. */
export type CommentAnchor = { readonly path: string; readonly commit: string };

/** The last settings file with its `etag`. GitHub accepts an `etag` only with the token that received it. */
export type CachedSettingsFile = { readonly etag: string; readonly file: SettingsFileLookup };

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
    trees: new LRUCache({ maxSize: MAX_TREE_ENTRIES, sizeCalculation: (tree: Tree) => tree.size + 1 }),
    blobs: new LRUCache({ maxSize: MAX_BLOB_CACHE_BYTES, sizeCalculation: (bytes: Uint8Array) => bytes.length + 64 }),
    files: new LRUCache({ maxSize: MAX_PATCH_CHARACTERS, sizeCalculation: sizeOfFiles }),
    anchors: new LRUCache(MAX_ENTRIES),
    threads: new LRUCache(MAX_ENTRIES),
    settings: new LRUCache({ maxSize: MAX_SETTINGS_CACHE_BYTES, sizeCalculation: sizeOfSettings }),
    // A resolution above 0 would cache the time with a real timer, which breaks virtual clocks.
    insufficientPermissions: new LRUCache({ ...MAX_ENTRIES, ttl: PERMISSION_TTL_MS, ttlResolution: 0, perf: { now } }),
  };
}

function sizeOfFiles(files: readonly PullRequestFile[]): number {
  return files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0) + 64, 64);
}

function sizeOfSettings({ file }: CachedSettingsFile): number {
  return 500 + (file.kind === 'file' ? file.bytes.byteLength : 0);
}

/** The key of an object of this repository. */
export function cacheKey(ref: PullRequestRef, name: string | number): string {
  return `${ref.repositoryId}:${name}`;
}
