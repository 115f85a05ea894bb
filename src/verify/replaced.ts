import type { Region } from '../change/change.ts';
import { offsetOfLine } from '../change/lines.ts';
import type { LineRange } from '../change/range.ts';
import { EMPTY_REGION, regionBetween } from '../change/region.ts';

/** A file's text in the parent and in the commit; empty where it is not there. */
export type Versions = { readonly before: string; readonly after: string };

/** Offsets of a range in both versions. */
type Span = { readonly start: number; readonly end: number; readonly newStart: number; readonly newEnd: number };

/**
 * The region by which the parent's text with only this range replaced differs from the parent's. Null where the range
 * is not in the texts, or is wider, narrower or elsewhere than the region: only one range names it.
 */
export function regionOfRange(versions: Versions, range: LineRange): Region | null {
  const span = spanOf(versions, range);
  if (span === null) return null;
  const { before, after } = versions;
  const only = before.slice(0, span.start) + after.slice(span.newStart, span.newEnd) + before.slice(span.end);
  const region = regionBetween(before, only) ?? (before === '' ? EMPTY_REGION : null);
  const names =
    region?.oldStart === range.oldStart && region.old.length === range.oldLines && region.new.length === range.newLines;
  return names ? region : null;
}

/** Whether these ranges, and nothing else, make the commit's text of the parent's; each at the line that the others leave it. */
export function isOnlyRanges({ before, after }: Versions, ranges: readonly LineRange[]): boolean {
  const ordered = ranges.toSorted((left, right) => indexOf(left) - indexOf(right));
  const pieces: string[] = [];
  let [offset, line, growth] = [0, 0, 0];
  for (const range of ordered) {
    const index = indexOf(range);
    const span = spanOf({ before, after }, range);
    const touches = pieces.length > 0 && index <= line;
    if (span === null || touches || newIndexOf(range) !== index + growth) return false;
    pieces.push(before.slice(offset, span.start), after.slice(span.newStart, span.newEnd));
    offset = span.end;
    line = index + range.oldLines;
    growth += range.newLines - range.oldLines;
  }
  return pieces.join('') + before.slice(offset) === after;
}

function spanOf({ before, after }: Versions, range: LineRange): Span | null {
  const index = indexOf(range);
  const newIndex = newIndexOf(range);
  if (index < 0 || newIndex < 0) return null;
  const start = offsetOfLine(before, index);
  const end = offsetOfLine(before, index + range.oldLines);
  const newStart = offsetOfLine(after, newIndex);
  const newEnd = offsetOfLine(after, newIndex + range.newLines);
  if (start === null || end === null || newStart === null || newEnd === null) return null;
  return { start, end, newStart, newEnd };
}

/** 0-based; a side of no lines has the number of the line before it. */
function indexOf({ oldStart, oldLines }: LineRange): number {
  return oldLines === 0 ? oldStart : oldStart - 1;
}

function newIndexOf({ newStart, newLines }: LineRange): number {
  return newLines === 0 ? newStart : newStart - 1;
}
