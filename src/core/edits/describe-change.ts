import { shortenPath } from '../../lib/format.ts';
import { type Change, type FileChange, onlyMember, type Region, unifiedDiffOf } from './change.ts';
import { type HunkLine, parseHunks } from './text/hunks.ts';
import { countCommonLines, withoutLineEnding } from './text/lines.ts';

/**
 * One line such as `Edit src/a.ts: add 1 line at line 3`, from the parts that a digest covers, and from counts. `undoes`
 * is the id of the change that it undoes, or null: `Undo k7q2 in src/a.ts: replace 1 line`.
 */
export function describeFileChange(change: Omit<FileChange, 'digest'>, undoes: string | null): string {
  const { op, path, region, placeCount } = change;
  if (op === 'edit' && region !== null) {
    const { imperative } = wordingFor(region, placeCount);
    return undoes === null ? `Edit ${path}: ${imperative}` : `Undo ${undoes} in ${path}: ${imperative}`;
  }
  const description = describeWholeFile(change);
  return undoes === null ? description : describeUndoOf(undoes, description);
}

function describeWholeFile({ op, path, from, payload }: Omit<FileChange, 'digest'>): string {
  if (op === 'move' && from !== null) return describeMove(from, path);
  if (op === 'delete') return `Delete ${path}`;
  if (op === 'read') return `Read ${path}`;
  const lines = payload.type === 'write' ? payload.content_lines : null;
  return lines === null ? `Restore ${path}` : `Write ${formatLineCount(lines)} to ${path}`;
}

/** For example `Move src/a.ts to src/b.ts`. */
export function describeMove(from: string, to: string): string {
  return `Move ${from} to ${to}`;
}

/** `Undo k7q2: delete src/a.ts` for `Delete src/a.ts`. */
export function describeUndoOf(id: string, description: string): string {
  return `Undo ${id}: ${description.slice(0, 1).toLowerCase()}${description.slice(1)}`;
}

/** One line for people, without words of the model: that of a single change, or what a set reaches. */
export function describeChange(change: Change): string {
  return onlyMember(change)?.payload.description ?? describeSet(change.members);
}

/** For example `Change 3 places in src/a.ts` and `Change 4 places in 3 files: a.ts, old.ts to b.ts, +1`. */
export function describeSet(members: readonly Paths[], show: (path: string) => string = shortPath): string {
  const files = namedPaths(members, show);
  const paths = members.map(({ path }) => path);
  return new Set(paths).size === 1
    ? `Change ${formatExtent(paths)} in ${files}`
    : `Change ${formatExtent(paths)}: ${files}`;
}

/** How many places and files these are, a path for each place: `3 places`, `2 files`, `3 places in 2 files`. */
export function formatExtent(paths: readonly string[]): string {
  const files = new Set(paths).size;
  if (files === 1) return `${paths.length} places`;
  return files === paths.length ? `${files} files` : `${paths.length} places in ${files} files`;
}

const MAX_PATHS_NAMED = 2;

/** The path of a member, and the former one if it moves. */
type Paths = Pick<FileChange, 'path' | 'from'>;

/** The first paths, and the number of the others: `a.ts, old.ts to b.ts, +1`. */
export function namedPaths(members: readonly Paths[], show: (path: string) => string): string {
  const files = [
    ...new Set(members.map(({ path, from }) => (from === null ? show(path) : `${show(from)} to ${show(path)}`))),
  ];
  const others = files.length - MAX_PATHS_NAMED;
  return [...files.slice(0, MAX_PATHS_NAMED), ...(others > 0 ? [`+${others}`] : [])].join(', ');
}

const MAX_PATH_CHARACTERS = 60;

/** A path in a list or a title. */
export function shortPath(path: string): string {
  return shortenPath(path, MAX_PATH_CHARACTERS);
}

/** The result of an applied change for the model. */
type ChangeSummary = {
  /** The larger of old and new line counts, summed over all places. */
  readonly linesChanged: number;
  /** Replaced matches; null unless it is an edit. */
  readonly replacements: number | null;
  /** A sentence such as `Added 1 line at line 3.`; empty unless it is an edit. */
  readonly summary: string;
};

/** Summarizes an applied change. */
export function summarizeChange(change: FileChange): ChangeSummary {
  const { payload, region } = change;
  return {
    linesChanged: countChangedLines(change),
    replacements: payload.type === 'edit' ? payload.match_count : null,
    summary: payload.type !== 'edit' || region === null ? '' : `${wordingFor(region, change.placeCount).pastTense}.`,
  };
}

/** The larger side of each place where lines differ, summed up. */
function countChangedLines({ payload }: FileChange): number {
  return parseHunks(unifiedDiffOf(payload) ?? '').reduce((sum, { lines }) => sum + countChangedInHunk(lines), 0);
}

function countChangedInHunk(lines: readonly HunkLine[]): number {
  let sum = 0;
  let removed = 0;
  let added = 0;
  for (const { kind } of lines) {
    if (kind === 'removed') removed += 1;
    if (kind === 'added') added += 1;
    if (kind !== 'context') continue;
    sum += Math.max(removed, added);
    removed = 0;
    added = 0;
  }
  return sum + Math.max(removed, added);
}

/** Both forms of one action: `add 1 line at line 3` and `Added 1 line at line 3`. */
type Wording = { readonly imperative: string; readonly pastTense: string };

function wordingFor(region: Region, placeCount: number): Wording {
  if (placeCount > 1)
    return { imperative: `replace text in ${placeCount} places`, pastTense: `Replaced text in ${placeCount} places` };
  const { removed, added, line } = countRegionLines(region);
  if (removed === 0 && added === 0) {
    const where = `at the end of ${region.old.length === 1 ? `line ${line}` : `${formatLineCount(region.old.length)} from line ${line}`}`;
    return { imperative: `change the line ending ${where}`, pastTense: `Changed the line ending ${where}` };
  }
  if (removed === 0) return bothTenses('add', 'Added', `${formatLineCount(added)} at line ${line}`);
  if (added === 0) return bothTenses('delete', 'Deleted', `${formatLineCount(removed)} at line ${line}`);
  if (removed === added) {
    return {
      imperative: `replace ${formatLineCount(removed)}`,
      pastTense: `Replaced ${formatLineCount(removed)} at line ${line}`,
    };
  }
  return {
    imperative: `replace ${formatLineCount(removed)} with ${added}`,
    pastTense: `Replaced ${formatLineCount(removed)} with ${added} at line ${line}`,
  };
}

function bothTenses(imperative: string, pastTense: string, object: string): Wording {
  return { imperative: `${imperative} ${object}`, pastTense: `${pastTense} ${object}` };
}

/** `1 line`, `5 lines`. */
function formatLineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

/** Changed lines of a region, ignoring line endings. `line` is 1-based in the new version. */
type RegionCounts = { readonly removed: number; readonly added: number; readonly line: number };

function countRegionLines({ old, new: newLines, oldStart, newStart }: Region): RegionCounts {
  const { head, tail } = countCommonLines(old, newLines, isSameLine);
  const first = newLines.length === 0 ? oldStart : newStart;
  const changed = old.length !== head + tail || newLines.length !== head + tail;
  return {
    removed: old.length - head - tail,
    added: newLines.length - head - tail,
    line: first + (changed ? head : 0),
  };
}

function isSameLine(left = '', right = ''): boolean {
  return withoutLineEnding(left) === withoutLineEnding(right);
}
