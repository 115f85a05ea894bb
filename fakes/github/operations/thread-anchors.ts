import { computeHunks, type FilePatch, formatHunkHeader, type PatchHunk, toDiffLines } from '../git/diff.ts';
import { type GitObjectStore, readBlobText, readGitCommit, type Sha } from '../git/objects.ts';
import { findTreeEntry } from '../git/trees.ts';
import { findForkPoint, findPullFileDiff, type TreeFileDiff } from '../state/commits.ts';
import type { DiffAnchor, DiffSide, FakePullRequest, FakeReviewThread } from '../state/github-state.ts';
import type { CommentPositionInput } from './inputs.ts';

/**
 * Relocates every thread at the head. A thread is outdated if one of its lines changed or is no longer in the diff.
 * Relocation starts at the original lines, so a thread is current again when these lines are restored.
 */
export function relocateThreads(store: GitObjectStore, pull: FakePullRequest): FakePullRequest {
  if (pull.threads.size === 0) return pull;
  const threads = [...pull.threads].map(([id, thread]) => [id, relocateThread(store, pull, thread)] as const);
  return { ...pull, threads: new Map(threads) };
}

export function relocateThread(
  store: GitObjectStore,
  pull: FakePullRequest,
  thread: FakeReviewThread,
): FakeReviewThread {
  const file = findPullFileDiff(store, pull, thread.path);
  if (thread.location.kind === 'file') return file === undefined ? thread : { ...thread, commitSha: pull.head.sha };
  const current = file === undefined ? null : relocateAnchor(store, pull, thread, file, thread.location.original);
  const commitSha = current === null ? thread.commitSha : pull.head.sha;
  return { ...thread, commitSha, location: { ...thread.location, current } };
}

function relocateAnchor(
  store: GitObjectStore,
  pull: FakePullRequest,
  thread: FakeReviewThread,
  file: TreeFileDiff,
  original: DiffAnchor,
): DiffAnchor | null {
  const lineMaps = createLineMaps(store, pull, thread, file);
  const line = lineMaps[original.side](original.line);
  if (line === null) return null;
  if (original.startLine === null || original.startSide === null) {
    return resolveAnchorOrNull(store, file, { side: original.side, line });
  }
  const startLine = lineMaps[original.startSide](original.startLine);
  if (startLine === null || !staysContiguous(lineMaps[original.side], original)) return null;
  return resolveAnchorOrNull(store, file, { side: original.side, line, startSide: original.startSide, startLine });
}

/** Whether the lines of a range on one side are still contiguous. */
function staysContiguous(
  mapLine: (line: number) => number | null,
  { side, startSide, startLine, line }: DiffAnchor,
): boolean {
  if (startLine === null || startSide !== side) return true;
  const end = mapLine(line);
  for (let old = startLine; old < line; old += 1) {
    if (end === null || mapLine(old) !== end - (line - old)) return false;
  }
  return true;
}

function resolveAnchorOrNull(
  store: GitObjectStore,
  file: TreeFileDiff,
  lines: Parameters<typeof resolveAnchor>[2],
): DiffAnchor | null {
  const found = resolveAnchor(store, file, lines);
  return typeof found === 'string' ? null : found.anchor;
}

type LineMaps = Readonly<Record<DiffSide, (line: number) => number | null>>;

function createLineMaps(
  store: GitObjectStore,
  pull: FakePullRequest,
  thread: FakeReviewThread,
  { change }: TreeFileDiff,
): LineMaps {
  const originalPull = { base: pull.base, head: { ...pull.head, sha: thread.originalCommitSha } };
  const oldLeft = findBlobSha(store, findForkPoint(store, originalPull), thread.path);
  const oldRight = findBlobSha(store, thread.originalCommitSha, thread.path);
  return {
    LEFT: mapLinesBetween(store, oldLeft, change.status === 'added' ? undefined : change.before.sha),
    RIGHT: mapLinesBetween(store, oldRight, change.status === 'removed' ? undefined : change.after.sha),
  };
}

function mapLinesBetween(store: GitObjectStore, before: Sha | undefined, after: Sha | undefined) {
  if (before === after) return (line: number): number => line;
  return createLineMap(computeHunks(readBlobText(store, before), readBlobText(store, after), 0));
}

function findBlobSha(store: GitObjectStore, commit: Sha, path: string): Sha | undefined {
  return findTreeEntry(store, readGitCommit(store, commit)?.tree ?? '', path)?.sha;
}

/** The reason why a location is invalid. */
export type AnchorProblem = 'path' | 'line' | 'start' | 'order';

/** A location in a diff, and its hunk up to that location. */
export type ResolvedAnchor = { readonly anchor: DiffAnchor; readonly diffHunk: string };

type DiffAnchorInput = Omit<CommentPositionInput, 'path'>;

/**
 * Finds a location in the patch. RIGHT has added and unchanged lines, LEFT has removed lines. A range must start before
 * its end, in the same hunk.
 */
export function resolveAnchor(
  store: GitObjectStore,
  file: TreeFileDiff,
  input: DiffAnchorInput,
): ResolvedAnchor | AnchorProblem {
  const rows = listDiffRows(file.patch.hunks);
  const side = input.side ?? 'RIGHT';
  const end = findEndRow(rows, input, side);
  if (end === undefined) return 'line';
  const endSide = input.line === undefined ? sideOf(end) : side;
  const found = (start: Pick<DiffAnchor, 'startSide' | 'startLine'>): ResolvedAnchor => ({
    anchor: { side: endSide, line: lineOf(end, endSide), position: end.position, ...start },
    diffHunk: formatHunkUpTo(store, file, end),
  });
  if (input.startLine === undefined) return found({ startSide: null, startLine: null });
  const startSide = input.startSide ?? endSide;
  if (startSide === endSide && input.startLine >= lineOf(end, endSide)) return 'order';
  const start = findRow(rows, startSide, input.startLine);
  if (start?.hunk !== end.hunk) return 'start';
  return start.position < end.position ? found({ startSide, startLine: input.startLine }) : 'order';
}

function findEndRow(rows: readonly DiffRow[], input: DiffAnchorInput, side: DiffSide): DiffRow | undefined {
  if (input.line !== undefined) return findRow(rows, side, input.line);
  return rows.find(({ position }) => position === input.position);
}

function findRow(rows: readonly DiffRow[], side: DiffSide, line: number): DiffRow | undefined {
  return rows.find((row) => sideOf(row) === side && lineOf(row, side) === line);
}

function sideOf(row: DiffRow): DiffSide {
  return row.kind === 'removed' ? 'LEFT' : 'RIGHT';
}

function lineOf(row: DiffRow, side: DiffSide): number {
  return side === 'LEFT' ? row.oldLine : row.newLine;
}

function formatHunkUpTo(store: GitObjectStore, { change, patch }: TreeFileDiff, end: DiffRow): string {
  const hunk = patch.hunks[end.hunk];
  if (hunk === undefined) return '';
  const oldLines = change.status === 'added' ? [] : toDiffLines(readBlobText(store, change.before.sha));
  const length = end.position - hunkPosition(patch, end.hunk);
  return [formatHunkHeader(hunk, oldLines), ...hunk.lines.slice(0, length)].join('\n');
}

function hunkPosition(patch: FilePatch, index: number): number {
  return patch.hunks.slice(0, index).reduce((sum, hunk) => sum + hunk.lines.length + 1, 0);
}

/** One line of a patch with its line numbers in the old and the new file. */
type DiffRow = {
  readonly hunk: number;
  /** Lines below the first `@@`; the headers of later hunks count too. */
  readonly position: number;
  readonly kind: 'context' | 'added' | 'removed';
  readonly oldLine: number;
  readonly newLine: number;
};

/** Lists the lines of a patch that can have a comment. */
function listDiffRows(hunks: readonly PatchHunk[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let position = -1;
  for (const [index, hunk] of hunks.entries()) {
    position += 1;
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      position += 1;
      const kind = ROW_KINDS[line.charAt(0)];
      if (kind === undefined) continue;
      rows.push({ hunk: index, position, kind, oldLine, newLine });
      if (kind !== 'added') oldLine += 1;
      if (kind !== 'removed') newLine += 1;
    }
  }
  return rows;
}

/** Lines that start with a backslash (no newline at end of file) are not lines of the file. */
const ROW_KINDS: Readonly<Record<string, DiffRow['kind']>> = { ' ': 'context', '+': 'added', '-': 'removed' };

/**
 * Creates a function that maps old line numbers to new ones, or to null for changed lines. `hunks` must come from a diff
 * without context.
 */
function createLineMap(hunks: readonly PatchHunk[]): (line: number) => number | null {
  const rows = listDiffRows(hunks);
  const removed = new Set(rows.filter(({ kind }) => kind === 'removed').map(({ oldLine }) => oldLine));
  return (line) => {
    if (removed.has(line)) return null;
    // For an added row, `oldLine` is the line that follows it.
    const added = rows.filter(({ kind, oldLine }) => kind === 'added' && oldLine <= line).length;
    const removedBefore = [...removed].filter((old) => old < line).length;
    return line + added - removedBefore;
  };
}
