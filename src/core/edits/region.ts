import type { Region } from './change.ts';
import { areLinesEqual, countCommonLines, isLineEnd, isLineStart, offsetOfLine, splitLines } from './text/lines.ts';

/** Lines of context on each side of a region. */
export const CONTEXT_LINES = 3;

/** A region without lines, for a new or deleted file without content. */
export const EMPTY_REGION: Region = { oldStart: 0, newStart: 0, before: [], old: [], new: [], after: [] };

/**
 * The region in which two texts differ: without their common lines at the start and, of the rest, at the end. Null for
 * equal texts.
 */
export function regionBetween(before: string, after: string): Region | null {
  if (before === after) return null;
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  const { head, tail } = countCommonLines(oldLines, newLines);
  const end = oldLines.length - tail;
  const [old, added] = [oldLines.slice(head, end), newLines.slice(head, newLines.length - tail)];
  return {
    oldStart: startLineNumber(head, old),
    newStart: startLineNumber(head, added),
    before: oldLines.slice(Math.max(0, head - CONTEXT_LINES), head),
    old,
    new: added,
    after: oldLines.slice(end, end + CONTEXT_LINES),
  };
}

function startLineNumber(index: number, lines: readonly string[]): number {
  return lines.length === 0 ? index : index + 1;
}

/** The 0-based index of the first old line; for an insertion, of the line behind it. */
export function regionIndex(region: Region): number {
  return region.old.length === 0 ? region.oldStart : region.oldStart - 1;
}

/** The line number for people: that of the first old line or, for an insertion, of the first new one. */
export function regionLine({ old, oldStart, newStart }: Region): number {
  return old.length > 0 ? oldStart : newStart;
}

/** Replaces the old lines with the new ones. Throws unless `old` is exactly at `oldStart`. */
export function applyRegion(text: string, region: Region): string {
  const start = offsetOfLine(text, regionIndex(region));
  const old = region.old.join('');
  if (start === null || !text.startsWith(old, start) || !isLineEnd(text, start + old.length)) {
    throw new Error(`The lines to be replaced are not at line ${region.oldStart}.`);
  }
  return text.slice(0, start) + region.new.join('') + text.slice(start + old.length);
}

/**
 * The region that replaces the same lines at `oldStart` of another text, with the context found there. Null if `old`
 * is elsewhere or if lines would run together.
 */
export function relocateRegion(text: string, region: Region, oldStart: number): Region | null {
  const index = region.old.length === 0 ? oldStart : oldStart - 1;
  if (index < 0) return null;
  const start = offsetOfLine(text, index);
  if (start === null) return null;
  const end = start + region.old.join('').length;
  const isFound = areLinesEqual(splitLines(text.slice(start, end)), region.old) && isLineEnd(text, end);
  if (!isFound || !keepsLinesSeparate(text, start, end, region.new)) return null;
  return regionBetween(text, text.slice(0, start) + region.new.join('') + text.slice(end));
}

function keepsLinesSeparate(text: string, start: number, end: number, newLines: readonly string[]): boolean {
  if (newLines.length === 0) return true;
  const last = newLines.at(-1) ?? '';
  return isLineStart(text, start) && (end === text.length || last.endsWith('\n'));
}

/** Whether two regions overlap or touch. Their order would matter then, and their context would be wrong. */
export function areRegionsTouching(left: Region, right: Region): boolean {
  return (
    regionIndex(left) <= regionIndex(right) + right.old.length &&
    regionIndex(right) <= regionIndex(left) + left.old.length
  );
}

/** Whether two regions show the same lines and context, at any line. */
export function isSameRegionText(left: Region, right: Region): boolean {
  return (
    areLinesEqual(left.old, right.old) &&
    areLinesEqual(left.new, right.new) &&
    areLinesEqual(left.before, right.before) &&
    areLinesEqual(left.after, right.after)
  );
}

/**
 * The lines that a change replaced in the parent's file, and their place in the commit's. Starts are 1-based; a side
 * of 0 lines has the number of the line before it (0 at the top).
 */
export type LineRange = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
};

/** The range of a region that is committed alone. */
export function regionRange(region: Region): LineRange {
  return {
    oldStart: region.oldStart,
    oldLines: region.old.length,
    newStart: region.newStart,
    newLines: region.new.length,
  };
}

/** The value of the trailer `Countersign-Range`. */
export function formatRange(range: LineRange): string {
  return `${range.oldStart},${range.oldLines} ${range.newStart},${range.newLines}`;
}

/** A text after several changes, and the range of each in the order given. */
type ComposedFile = { readonly text: string; readonly ranges: readonly LineRange[] };

/**
 * Applies several regions of one text together. Throws if two regions overlap or touch, or if old lines are not at
 * their place; callers check both before.
 */
export function composeFile(baseText: string, regions: readonly Region[]): ComposedFile {
  const ordered = regions.map((region, order) => ({ region, order }));
  ordered.sort((left, right) => regionIndex(left.region) - regionIndex(right.region));
  const ranges = new Array<LineRange>(regions.length);
  const pieces: string[] = [];
  let offset = 0;
  let line = 0;
  let growth = 0;
  let previous: Region | null = null;
  for (const { region, order } of ordered) {
    if (previous !== null && areRegionsTouching(previous, region))
      throw new Error('Two changes of one file overlap or touch.');
    const unchanged = sliceUntilLine(baseText, offset, regionIndex(region) - line);
    const old = region.old.join('');
    if (unchanged === null || !baseText.startsWith(old, offset + unchanged.length)) {
      throw new Error(`The lines to be replaced are not at line ${region.oldStart}.`);
    }
    pieces.push(unchanged, region.new.join(''));
    ranges[order] = { ...regionRange(region), newStart: region.newStart + growth };
    offset += unchanged.length + old.length;
    line = regionIndex(region) + region.old.length;
    growth += region.new.length - region.old.length;
    previous = region;
  }
  return { text: pieces.join('') + baseText.slice(offset), ranges };
}

function sliceUntilLine(text: string, offset: number, count: number): string | null {
  const rest = text.slice(offset);
  const end = offsetOfLine(rest, count);
  return end === null ? null : rest.slice(0, end);
}
