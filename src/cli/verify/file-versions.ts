import type { FileMode, Region } from '../../core/edits/change.ts';
import { EMPTY_REGION, type LineRange, regionBetween } from '../../core/edits/region.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { offsetOfLine } from '../../core/edits/text/lines.ts';
import type { GitObjectReader } from '../git/objects.ts';
import { GitError } from '../git/run-git.ts';
import type { GitTreeEntry, PathChange } from '../git/tree-diff.ts';

/** The two versions of a changed path, or the reason why no proposal can cause this change. */
type ChangedFileResult =
  | { readonly kind: 'file'; readonly file: ChangedFileContents }
  | { readonly kind: 'unsupported'; readonly path: string; readonly problem: string };

/** Reads both versions of a changed path. Throws a `GitError` if a blob is missing. */
export async function readChangedFile(objects: GitObjectReader, change: PathChange): Promise<ChangedFileResult> {
  const { path, isUtf8 } = change;
  if (!isUtf8) return { kind: 'unsupported', path, problem: 'its name is not valid UTF-8' };
  const [before, after] = await Promise.all([
    readFileVersion(objects, change.before),
    readFileVersion(objects, change.after),
  ]);
  if (before === 'unsupported' || after === 'unsupported')
    return {
      kind: 'unsupported',
      path,
      problem: 'it is a link or a submodule, or has a mode that no proposal can set',
    };
  return { kind: 'file', file: { path, before, after } };
}

async function readFileVersion(
  objects: GitObjectReader,
  entry: GitTreeEntry | null,
): Promise<FileVersion | 'unsupported' | null> {
  if (entry === null) return null;
  const { mode, id } = entry;
  if (mode !== '100644' && mode !== '100755') return 'unsupported';
  const object = await objects.read(id);
  if (object === null) throw new GitError(`blob ${id} is missing`);
  const decoded = decodeText(object.bytes);
  return { mode, blob: id, text: decoded.kind === 'text' ? decoded.text : null };
}

/** One version of a file. `text` is null if its bytes are not UTF-8 or contain NUL. */
type FileVersion = { readonly mode: FileMode; readonly blob: string; readonly text: string | null };

/** A path that a commit changed. A version that does not exist is null. */
export type ChangedFileContents = {
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
};

/** A file's text in the parent and in the commit; empty if there is no file. */
export type FileTexts = { readonly before: string; readonly after: string };

/** Character offsets of a range in both versions. */
type RangeOffsets = {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/**
 * The change of the parent's text if only this range is replaced. Null if the range is outside the texts, or is not
 * exactly the range of the change.
 */
export function regionOfRange(versions: FileTexts, range: LineRange): Region | null {
  const offsets = findRangeOffsets(versions, range);
  if (offsets === null) return null;
  const { before, after } = versions;
  const withOnlyRange =
    before.slice(0, offsets.start) + after.slice(offsets.newStart, offsets.newEnd) + before.slice(offsets.end);
  const region = regionBetween(before, withOnlyRange) ?? (before === '' ? EMPTY_REGION : null);
  const isExactRange =
    region?.oldStart === range.oldStart && region.old.length === range.oldLines && region.new.length === range.newLines;
  return isExactRange ? region : null;
}

/** Whether replacing exactly these ranges turns the parent's text into the commit's text. */
export function hasOnlyRanges({ before, after }: FileTexts, ranges: readonly LineRange[]): boolean {
  const ordered = ranges.toSorted((left, right) => oldIndexOf(left) - oldIndexOf(right));
  const pieces: string[] = [];
  let [offset, line, growth] = [0, 0, 0];
  for (const range of ordered) {
    const index = oldIndexOf(range);
    const offsets = findRangeOffsets({ before, after }, range);
    const touches = pieces.length > 0 && index <= line;
    if (offsets === null || touches || newIndexOf(range) !== index + growth) return false;
    pieces.push(before.slice(offset, offsets.start), after.slice(offsets.newStart, offsets.newEnd));
    offset = offsets.end;
    line = index + range.oldLines;
    growth += range.newLines - range.oldLines;
  }
  return pieces.join('') + before.slice(offset) === after;
}

function findRangeOffsets({ before, after }: FileTexts, range: LineRange): RangeOffsets | null {
  const index = oldIndexOf(range);
  const newIndex = newIndexOf(range);
  if (index < 0 || newIndex < 0) return null;
  const start = offsetOfLine(before, index);
  const end = offsetOfLine(before, index + range.oldLines);
  const newStart = offsetOfLine(after, newIndex);
  const newEnd = offsetOfLine(after, newIndex + range.newLines);
  if (start === null || end === null || newStart === null || newEnd === null) return null;
  return { start, end, newStart, newEnd };
}

/** 0-based. An empty side has the number of the line before it. */
function oldIndexOf({ oldStart, oldLines }: LineRange): number {
  return oldLines === 0 ? oldStart : oldStart - 1;
}

function newIndexOf({ newStart, newLines }: LineRange): number {
  return newLines === 0 ? newStart : newStart - 1;
}
