import { blobText } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import { diffLines } from '../git/line-diff.ts';
import type { ObjectStore, Sha } from '../git/object-store.ts';
import { entryAt } from '../git/trees.ts';
import { findAnchor } from './anchor.ts';
import { lineMap } from './diff-rows.ts';
import type { FileDiff } from './pull-diff.ts';
import { forkPoint, pullFile } from './pull-diff.ts';
import type { PullRequest } from './state.ts';
import type { Anchor, Side, Thread } from './talk.ts';

/**
 * The pull request with every thread put where its lines are now. A thread goes out of
 * date when one of its lines changed or its lines left the diff, and comes back when the
 * lines it was written on return: it is followed from where it was written, not step by step.
 */
export function trackThreads(store: ObjectStore, pull: PullRequest): PullRequest {
  if (pull.threads.size === 0) return pull;
  const threads = [...pull.threads].map(([id, thread]) => [id, trackThread(store, pull, thread)] as const);
  return { ...pull, threads: new Map(threads) };
}

/** One thread, put where its lines are at the pull request's head. */
export function trackThread(store: ObjectStore, pull: PullRequest, thread: Thread): Thread {
  const file = pullFile(store, pull, thread.path);
  if (thread.place.kind === 'file') return file === undefined ? thread : { ...thread, commitSha: pull.head.sha };
  const current = file === undefined ? null : follow(store, pull, thread, file, thread.place.original);
  const commitSha = current === null ? thread.commitSha : pull.head.sha;
  return { ...thread, commitSha, place: { ...thread.place, current } };
}

function follow(
  store: ObjectStore,
  pull: PullRequest,
  thread: Thread,
  file: FileDiff,
  original: Anchor,
): Anchor | null {
  const moved = mapsOf(store, pull, thread, file);
  const line = moved[original.side](original.line);
  if (line === null) return null;
  if (original.startLine === null || original.startSide === null) {
    return anchorOrNull(store, file, { side: original.side, line });
  }
  const startLine = moved[original.startSide](original.startLine);
  if (startLine === null || !staysWhole(moved[original.side], original)) return null;
  return anchorOrNull(store, file, { side: original.side, line, startSide: original.startSide, startLine });
}

/** Whether a range on one side is still the same lines with nothing in between. */
function staysWhole(move: (line: number) => number | null, { side, startSide, startLine, line }: Anchor): boolean {
  if (startLine === null || startSide !== side) return true;
  const end = move(line);
  for (let old = startLine; old < line; old += 1) {
    if (end === null || move(old) !== end - (line - old)) return false;
  }
  return true;
}

function anchorOrNull(store: ObjectStore, file: FileDiff, lines: Parameters<typeof findAnchor>[2]): Anchor | null {
  const found = findAnchor(store, file, lines);
  return typeof found === 'string' ? null : found.anchor;
}

type Maps = Readonly<Record<Side, (line: number) => number | null>>;

function mapsOf(store: ObjectStore, pull: PullRequest, thread: Thread, { change }: FileDiff): Maps {
  const written = { base: pull.base, head: { ...pull.head, sha: thread.originalCommitSha } };
  const oldLeft = blobAt(store, forkPoint(store, written), thread.path);
  const oldRight = blobAt(store, thread.originalCommitSha, thread.path);
  return {
    LEFT: mapBetween(store, oldLeft, change.status === 'added' ? undefined : change.before.sha),
    RIGHT: mapBetween(store, oldRight, change.status === 'removed' ? undefined : change.after.sha),
  };
}

function mapBetween(store: ObjectStore, before: Sha | undefined, after: Sha | undefined) {
  if (before === after) return (line: number): number => line;
  return lineMap(diffLines(blobText(store, before), blobText(store, after), 0));
}

function blobAt(store: ObjectStore, commit: Sha, path: string): Sha | undefined {
  return entryAt(store, readCommit(store, commit)?.tree ?? '', path)?.sha;
}
