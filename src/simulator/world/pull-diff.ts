import { commitsBetween, mergeBase } from '../git/ancestry.ts';
import { readCommit } from '../git/commit-object.ts';
import type { FileChange } from '../git/file-change.ts';
import { type FilePatch, filePatch } from '../git/file-patch.ts';
import type { ObjectStore, Sha } from '../git/object-store.ts';
import { changedFiles } from '../git/tree-diff.ts';
import type { PullRequest } from './state.ts';

/** One file of a difference with its patch. */
export type FileDiff = { readonly change: FileChange; readonly patch: FilePatch };

type Ends = Pick<PullRequest, 'base' | 'head'>;

/** Where the head left the base; the base itself when they share nothing. */
export function forkPoint(store: ObjectStore, pull: Ends): Sha {
  return mergeBase(store, pull.base.sha, pull.head.sha) ?? pull.base.sha;
}

/** The commits a pull request adds, oldest first. */
export function pullCommits(store: ObjectStore, pull: Ends): readonly Sha[] {
  return commitsBetween(store, pull.base.sha, pull.head.sha);
}

/** The changed files between two commits, without their patches. */
export function changesBetween(store: ObjectStore, before: Sha, after: Sha): readonly FileChange[] {
  return changedFiles(store, readCommit(store, before)?.tree ?? '', readCommit(store, after)?.tree ?? '');
}

/** All files of the three-dot difference of a pull request, by path. */
export function pullFiles(store: ObjectStore, pull: Ends): readonly FileDiff[] {
  return changesBetween(store, forkPoint(store, pull), pull.head.sha).map((change) => fileDiff(store, change));
}

/** One file of that difference: opens the two versions of this file only. */
export function pullFile(store: ObjectStore, pull: Ends, path: string): FileDiff | undefined {
  const changes = changesBetween(store, forkPoint(store, pull), pull.head.sha);
  const change = changes.find((candidate) => candidate.path === path);
  return change === undefined ? undefined : fileDiff(store, change);
}

/** A changed file with its patch. Submodules have none. */
export function fileDiff(store: ObjectStore, change: FileChange): FileDiff {
  const before = change.status === 'added' ? undefined : change.before.sha;
  const after = change.status === 'removed' ? undefined : change.after.sha;
  return { change, patch: filePatch(store, before, after) };
}
