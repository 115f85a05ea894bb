import type { PullRef } from '../command/intent.ts';
import type { Tree } from '../policy/path.ts';
import type { FoundFile } from '../settings/read-settings.ts';
import type { GitHub, PullFile } from '../worker/ports.ts';
import { type BoundedCache, openBoundedCache } from './bounded-cache.ts';
import type { Call } from './calls.ts';

/** Where a comment of a diff stands, which GitHub wants to hear again with each reply. */
export type Anchor = { readonly path: string; readonly commit: string };

/**
 * A file as it was last read, and GitHub's name for that answer; the name dies with the token, and then it is read
 * anew.
 */
export type RememberedFile = { readonly etag: string; readonly found: FoundFile };

/** Who may not write, as GitHub said until a moment ago (ms): see `fetchPermission`. */
export type RememberedRefusal = { readonly until: number; readonly answer: Awaited<ReturnType<GitHub['permission']>> };

/**
 * What never changes once read, or is asked for again with GitHub's own name for it. Keys begin with the repository's
 * id: nothing crosses from one to another.
 */
export type Caches = {
  readonly trees: BoundedCache<Tree>;
  readonly blobs: BoundedCache<Uint8Array>;
  /** Lists of a pull request's files by its number and head. */
  readonly files: BoundedCache<readonly PullFile[]>;
  readonly anchors: BoundedCache<Anchor>;
  /** Thread ids by the node id of their first comment. */
  readonly threads: BoundedCache<string>;
  readonly settings: BoundedCache<RememberedFile>;
  /** By login. */
  readonly refusals: BoundedCache<RememberedRefusal>;
};

/** All that a function of this folder needs to talk to GitHub about one pull request. */
export type Connection = {
  readonly ref: PullRef;
  readonly read: Call;
  readonly write: Call;
  readonly caches: Caches;
  /** Numeric id of the App's bot user: what makes a comment ours. */
  readonly botId: () => Promise<number>;
  readonly now: () => number;
  /** How far GitHub's clock is ahead of that one at the least (ms). */
  readonly ahead: () => number;
};

/**
 * Bounds: 64 MiB of blobs, 8 million letters of patches, 8 MiB of settings, a million tree entries, ten thousand each
 * of anchors, threads and refusals.
 */
export function openCaches(): Caches {
  return {
    trees: openBoundedCache<Tree>(1_000_000, (tree) => tree.size + 1),
    blobs: openBoundedCache<Uint8Array>(64 * 1024 * 1024, (bytes) => bytes.length + 64),
    files: openBoundedCache<readonly PullFile[]>(8_000_000, weightOf),
    anchors: openBoundedCache<Anchor>(10_000, () => 1),
    threads: openBoundedCache<string>(10_000, () => 1),
    settings: openBoundedCache<RememberedFile>(8 * 1024 * 1024, ({ found }) => 500 + sizeOf(found)),
    refusals: openBoundedCache<RememberedRefusal>(10_000, () => 1),
  };
}

function sizeOf(found: FoundFile): number {
  return found.kind === 'file' ? found.bytes.byteLength : 0;
}

function weightOf(files: readonly PullFile[]): number {
  return files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0) + 64, 64);
}

/** Key of something of this repository. */
export function cacheKey(ref: PullRef, name: string | number): string {
  return `${ref.repositoryId}:${name}`;
}

/** The repository as REST's paths name it. */
export function repositoryOf(ref: PullRef): { readonly owner: string; readonly repo: string } {
  return { owner: ref.owner, repo: ref.repo };
}
