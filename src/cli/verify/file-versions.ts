import type { FileMode, Region } from '../../core/edits/change.ts';
import { CONTEXT_LINES, EMPTY_REGION, type LineRange, regionBetween } from '../../core/edits/region.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { MAX_WHOLE_FILE_BYTES } from '../../core/edits/text/limits.ts';
import { createLineTable, type LineTable } from '../../core/edits/text/line-table.ts';
import type { GitObjectReader } from '../git/objects.ts';
import { GitError } from '../git/run-git.ts';
import type { GitTreeEntry, PathChange } from '../git/tree-diff.ts';

/** The two versions of a changed path, or the reason why no proposal can cause this change. */
type ChangedFileResult =
  | { readonly kind: 'file'; readonly file: ChangedFileContents; readonly bytes: number }
  | { readonly kind: 'unsupported'; readonly path: string; readonly problem: string };

/** Reads both versions of a changed path. Throws a `GitError` if a blob is missing. */
export async function readChangedFile(objects: GitObjectReader, change: PathChange): Promise<ChangedFileResult> {
  const { path, isUtf8 } = change;
  if (!isUtf8) return { kind: 'unsupported', path, problem: 'its name is not valid UTF-8' };
  const [before, after] = await Promise.all([
    readFileVersion(objects, change.before),
    readFileVersion(objects, change.after),
  ]);
  if (typeof before === 'string') return { kind: 'unsupported', path, problem: UNSUPPORTED[before] };
  if (typeof after === 'string') return { kind: 'unsupported', path, problem: UNSUPPORTED[after] };
  return { kind: 'file', file: { path, before, after }, bytes: (before?.bytes ?? 0) + (after?.bytes ?? 0) };
}

const UNSUPPORTED = {
  mode: 'it is a link or a submodule, or has a mode that no proposal can set',
  size: 'it is larger than every file that a proposal can change',
} as const;

async function readFileVersion(
  objects: GitObjectReader,
  entry: GitTreeEntry | null,
): Promise<(FileVersion & { readonly bytes: number }) | keyof typeof UNSUPPORTED | null> {
  if (entry === null) return null;
  const { mode, id } = entry;
  if (mode !== '100644' && mode !== '100755') return 'mode';
  const object = await objects.read(id, MAX_WHOLE_FILE_BYTES);
  if (object?.kind === 'too-large') return 'size';
  if (object === null) throw new GitError(`blob ${id} is missing`);
  const decoded = decodeText(object.bytes);
  const lines = decoded.kind === 'text' ? createLineTable(decoded.text, object.bytes) : null;
  return { mode, blob: id, lines, bytes: object.bytes.length };
}

/** One version of a file. `lines` is null if its bytes are not UTF-8 or contain NUL. */
type FileVersion = { readonly mode: FileMode; readonly blob: string; readonly lines: LineTable | null };

/** A path that a commit changed. A version that does not exist is null. */
export type ChangedFileContents = {
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
};

/** A file's lines in the parent and in the commit; none if there is no file. */
export type FileTexts = { readonly before: LineTable; readonly after: LineTable };

const NO_LINES = createLineTable('');

/** Null if a version is not text, so that it has no lines. */
export function textsOf({ before, after }: Pick<ChangedFileContents, 'before' | 'after'>): FileTexts | null {
  const lines = { before: before === null ? NO_LINES : before.lines, after: after === null ? NO_LINES : after.lines };
  return lines.before === null || lines.after === null ? null : { before: lines.before, after: lines.after };
}

/** A range by 0-based indexes of lines. */
type RangeIndexes = {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/**
 * The change of the parent's text if only this range is replaced. Null if the range is outside the texts, or is not
 * exactly the range of the change. Reads only the range and its context, so that many ranges can be tried.
 */
export function regionOfRange(versions: FileTexts, range: LineRange): Region | null {
  const indexes = findRangeIndexes(versions, range);
  if (indexes === null || !canBeExact(versions, indexes)) return null;
  const { before, after } = versions;
  const { start, end, newStart, newEnd } = indexes;
  const first = Math.max(0, start - CONTEXT_LINES);
  const head = textOfLines(before, first, start);
  const tail = textOfLines(before, end, Math.min(before.lineCount, end + CONTEXT_LINES));
  const old = textOfLines(before, start, end);
  const region =
    regionBetween(head + old + tail, head + textOfLines(after, newStart, newEnd) + tail) ??
    (before.text === '' ? EMPTY_REGION : null);
  const isExactRange =
    region !== null &&
    region.oldStart + first === range.oldStart &&
    region.old.length === range.oldLines &&
    region.new.length === range.newLines;
  return isExactRange ? { ...region, oldStart: range.oldStart, newStart: region.newStart + first } : null;
}

/** The characters that `regionOfRange` reads; 0 if the ends of the range alone show that it cannot be exact. */
export function rangeLength(versions: FileTexts, range: LineRange): number {
  const indexes = findRangeIndexes(versions, range);
  if (indexes === null || !canBeExact(versions, indexes)) return 0;
  const { before, after } = versions;
  const { start, end, newStart, newEnd } = indexes;
  return before.offsetAt(end) - before.offsetAt(start) + after.offsetAt(newEnd) - after.offsetAt(newStart);
}

/** Whether the first and the last lines of both sides differ, as those of an exact range do. */
function canBeExact({ before, after }: FileTexts, { start, end, newStart, newEnd }: RangeIndexes): boolean {
  if (start === end || newStart === newEnd) return true;
  return (
    textOfLines(before, start, start + 1) !== textOfLines(after, newStart, newStart + 1) &&
    textOfLines(before, end - 1, end) !== textOfLines(after, newEnd - 1, newEnd)
  );
}

function textOfLines({ text, offsetAt }: LineTable, from: number, to: number): string {
  return text.slice(offsetAt(from), offsetAt(to));
}

/** Whether replacing exactly these ranges turns the parent's text into the commit's text. */
export function hasOnlyRanges({ before, after }: FileTexts, ranges: readonly LineRange[]): boolean {
  const ordered = ranges.toSorted((left, right) => oldIndexOf(left) - oldIndexOf(right));
  const pieces: string[] = [];
  let [line, growth] = [0, 0];
  for (const range of ordered) {
    const indexes = findRangeIndexes({ before, after }, range);
    if (indexes === null) return false;
    const { start, end, newStart, newEnd } = indexes;
    const touches = pieces.length > 0 && start <= line;
    if (touches || newStart !== start + growth) return false;
    pieces.push(textOfLines(before, line, start), textOfLines(after, newStart, newEnd));
    line = end;
    growth += range.newLines - range.oldLines;
  }
  return pieces.join('') + textOfLines(before, line, before.lineCount) === after.text;
}

function findRangeIndexes({ before, after }: FileTexts, range: LineRange): RangeIndexes | null {
  const start = oldIndexOf(range);
  const newStart = newIndexOf(range);
  const end = start + range.oldLines;
  const newEnd = newStart + range.newLines;
  const isInside = start >= 0 && newStart >= 0 && end <= before.lineCount && newEnd <= after.lineCount;
  return isInside ? { start, end, newStart, newEnd } : null;
}

/** 0-based. An empty side has the number of the line before it. */
export function oldIndexOf({ oldStart, oldLines }: LineRange): number {
  return oldLines === 0 ? oldStart : oldStart - 1;
}

function newIndexOf({ newStart, newLines }: LineRange): number {
  return newLines === 0 ? newStart : newStart - 1;
}
