import { blobText } from '../git/blob.ts';
import { type FilePatch, hunkHeader } from '../git/file-patch.ts';
import { splitLines } from '../git/line-diff.ts';
import type { ObjectStore } from '../git/object-store.ts';
import { type DiffRow, diffRows } from './diff-rows.ts';
import type { PlaceInput } from './inputs.ts';
import type { FileDiff } from './pull-diff.ts';
import type { Anchor, Side } from './talk.ts';

/** Why a comment cannot stand where it was asked to. */
export type AnchorProblem = 'path' | 'line' | 'start' | 'order';

/** A place in a diff with the part of the hunk that leads to it. */
export type FoundAnchor = { readonly anchor: Anchor; readonly diffHunk: string };

/** A place without its path. */
export type Lines = Omit<PlaceInput, 'path'>;

/**
 * Finds the lines in a file's patch: RIGHT are added and unchanged lines, LEFT are removed
 * ones; a range starts before its end, in the same hunk.
 */
export function findAnchor(store: ObjectStore, file: FileDiff, input: Lines): FoundAnchor | AnchorProblem {
  const rows = diffRows(file.patch.hunks);
  const side = input.side ?? 'RIGHT';
  const end = endRow(rows, input, side);
  if (end === undefined) return 'line';
  const endSide = input.line === undefined ? sideOf(end) : side;
  const found = (start: Pick<Anchor, 'startSide' | 'startLine'>): FoundAnchor => ({
    anchor: { side: endSide, line: lineOf(end, endSide), position: end.position, ...start },
    diffHunk: hunkUpTo(store, file, end),
  });
  if (input.startLine === undefined) return found({ startSide: null, startLine: null });
  const startSide = input.startSide ?? endSide;
  if (startSide === endSide && input.startLine >= lineOf(end, endSide)) return 'order';
  const start = rowAt(rows, startSide, input.startLine);
  if (start?.hunk !== end.hunk) return 'start';
  return start.position < end.position ? found({ startSide, startLine: input.startLine }) : 'order';
}

function endRow(rows: readonly DiffRow[], input: Lines, side: Side): DiffRow | undefined {
  if (input.line !== undefined) return rowAt(rows, side, input.line);
  return rows.find(({ position }) => position === input.position);
}

function rowAt(rows: readonly DiffRow[], side: Side, line: number): DiffRow | undefined {
  return rows.find((row) => sideOf(row) === side && lineOf(row, side) === line);
}

function sideOf(row: DiffRow): Side {
  return row.kind === 'removed' ? 'LEFT' : 'RIGHT';
}

function lineOf(row: DiffRow, side: Side): number {
  return side === 'LEFT' ? row.left : row.right;
}

function hunkUpTo(store: ObjectStore, { change, patch }: FileDiff, end: DiffRow): string {
  const hunk = patch.hunks[end.hunk];
  if (hunk === undefined) return '';
  const oldLines = change.status === 'added' ? [] : splitLines(blobText(store, change.before.sha));
  const length = end.position - firstPosition(patch, end.hunk);
  return [hunkHeader(hunk, oldLines), ...hunk.lines.slice(0, length)].join('\n');
}

/** Position of a hunk's header. */
function firstPosition(patch: FilePatch, index: number): number {
  return patch.hunks.slice(0, index).reduce((sum, hunk) => sum + hunk.lines.length + 1, 0);
}
