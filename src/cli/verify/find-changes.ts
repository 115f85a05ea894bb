import type { FileChange, FileMode, Region } from '../../core/edits/change.ts';
import { changeDigest, type DigestInput } from '../../core/edits/digest.ts';
import { CONTEXT_LINES, EMPTY_REGION, type LineRange, regionBetween, regionRange } from '../../core/edits/region.ts';
import { splitLines } from '../../core/edits/text/lines.ts';
import type { TrailerGroup } from '../../core/policy/commit-message.ts';

/** One version of a file. `text` is null if its bytes are not UTF-8 or contain NUL. */
export type FileVersion = { readonly mode: FileMode; readonly blob: string; readonly text: string | null };

/** A path that a commit changed. A version that does not exist is null. */
export type ChangedFile = {
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
};

/** A file, or the two files of a move. */
type Versions = ChangedFile & { readonly from: string | null };

/** A commit of the App has fewer files that were moved and changed. More are not compared. */
const MAX_MOVES = 1_000;

/**
 * Finds the file that each group of trailers names. A file is found if its groups explain all of it: wherever the two
 * versions differ, the change with the digest of a group begins.
 */
export function findChanges(
  groups: readonly TrailerGroup[],
  files: readonly ChangedFile[],
): ReadonlyMap<TrailerGroup, Versions> {
  const open = new Set(groups);
  const found = new Map<TrailerGroup, Versions>();
  const explained = new Set<string>();
  const explain = (versions: Versions, named: readonly TrailerGroup[] | null): void => {
    for (const group of named ?? []) {
      open.delete(group);
      found.set(group, versions);
    }
    if (named === null) return;
    explained.add(versions.path);
    if (versions.from !== null) explained.add(versions.from);
  };
  for (const file of files) {
    const versions = { ...file, from: null };
    explain(versions, explainFile(versions, open));
  }
  const left = files.filter(({ path }) => !explained.has(path));
  for (const moved of listMoves(left).slice(0, MAX_MOVES)) {
    if (!explained.has(moved.path) && !explained.has(moved.from ?? '')) explain(moved, explainMove(moved, open));
  }
  return found;
}

/** All pairs of a deleted and an added file; those with the same bytes come first. */
function listMoves(files: readonly ChangedFile[]): readonly Versions[] {
  const added = files.filter(({ before }) => before === null);
  const moves = files
    .filter(({ after }) => after === null)
    .flatMap(({ path: from, before }) => added.map(({ path, after }) => ({ path, from, before, after })));
  return moves.toSorted((left, right) => Number(isUnchanged(right)) - Number(isUnchanged(left)));
}

function isUnchanged({ before, after }: Versions): boolean {
  return before?.blob === after?.blob;
}

function explainMove(moved: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  const { before, after } = moved;
  if (isUnchanged(moved)) return explainWhole(moved, open);
  if (before?.text == null || after?.text == null) return null;
  const region = regionBetween(before.text, after.text);
  const range = region === null ? null : regionRange(region);
  const group = [...open].find((one) => region !== null && hasRange(one, range) && hasDigest(one, moved, region));
  return group === undefined ? null : [group];
}

function hasRange({ range }: TrailerGroup, wanted: LineRange | null): boolean {
  return range?.oldLines === wanted?.oldLines && range?.newLines === wanted?.newLines;
}

/** A file that is not text, or was moved as it is. */
function explainWhole(versions: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  const group = [...open].find((one) => one.range === null && hasDigest(one, versions, null));
  return group === undefined ? null : [group];
}

/** The groups of a file's changes in order; null if they do not explain all of it. */
function explainFile(file: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  // People never see modes.
  if (file.before !== null && file.after !== null && file.before.mode !== file.after.mode) return null;
  const [old, changed] = [textOf(file.before), textOf(file.after)];
  if (old === null || changed === null) return explainWhole(file, open);
  const [before, after] = [splitLines(old), splitLines(changed)];
  const ranged = [...open].filter(({ range }) => range !== null);
  if (old === changed) {
    const group = ranged.find((one) => file.before !== file.after && hasDigest(one, file, EMPTY_REGION));
    return group === undefined || old !== '' ? null : [group];
  }
  const named: TrailerGroup[] = [];
  for (let [at, to] = [0, 0]; ; ) {
    for (; at < before.length && before[at] === after[to]; at += 1) to += 1;
    if (at === before.length && to === after.length) return named;
    const group = ranged.find((one) => !named.includes(one) && beginsAt(one, at, to));
    if (group?.range == null) return null;
    named.push(group);
    [at, to] = [at + group.range.oldLines, to + group.range.newLines];
  }

  /** Whether the group's change is at these lines (0-based): those that it names, or the only ones like them. */
  function beginsAt(group: TrailerGroup, at: number, to: number): boolean {
    const { oldStart, oldLines, newLines } = group.range ?? { oldStart: 0, oldLines: 0, newLines: 0 };
    if (at + oldLines > before.length || to + newLines > after.length || oldLines + newLines === 0) return false;
    const region = {
      oldStart: oldLines === 0 ? at : at + 1,
      newStart: newLines === 0 ? to : to + 1,
      before: before.slice(Math.max(0, at - CONTEXT_LINES), at),
      old: before.slice(at, at + oldLines),
      new: after.slice(to, to + newLines),
      after: before.slice(at + oldLines, at + oldLines + CONTEXT_LINES),
    };
    return hasDigest(group, file, region) && (region.oldStart === oldStart || isUnique(before, region));
  }
}

function textOf(version: FileVersion | null): string | null {
  return version === null ? '' : version.text;
}

/** Whether the lines and their context are once in the file, so that a rebased change has one place only. */
function isUnique(lines: readonly string[], { before, old, after }: Region): boolean {
  const wanted = [...before, ...old, ...after];
  const starts = lines.filter((_, start) => wanted.every((line, index) => lines[start + index] === line));
  return starts.length === 1;
}

/** `region` is null for a change without lines. */
function hasDigest({ digest }: TrailerGroup, versions: Versions, region: Region | null): boolean {
  const { path, from: fromPath, before, after } = versions;
  const modes = { oldMode: before?.mode ?? null, newMode: after?.mode ?? null };
  const blobs = { kind: 'blobs', oldBlob: before?.blob ?? null, newBlob: after?.blob ?? null } as const;
  const body: DigestInput['body'] = region === null ? blobs : { kind: 'region', region };
  return possibleOperations(versions).some((op) => changeDigest({ op, path, fromPath, ...modes, body }) === digest);
}

function possibleOperations({ before, after, from }: Versions): readonly FileChange['op'][] {
  if (from !== null) return ['move'];
  if (after === null) return ['delete'];
  return before === null ? ['write'] : ['edit', 'write'];
}
