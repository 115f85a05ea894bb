import type { Region } from './change.ts';
import { type LineTable, lineIndexAt, linesAt, lineTable } from './line-table.ts';
import { lineStart, offsetOfLine, sameLines, splitLines } from './lines.ts';

/** How many lines are shown on each side of a region. */
export const CONTEXT = 3;

/** A region that changes nothing: what there is to see of a new file without content. */
export const EMPTY_REGION: Region = { oldStart: 0, newStart: 0, before: [], old: [], new: [], after: [] };

/**
 * The region in which two texts differ: the longest common prefix of lines is taken away, then the longest
 * common suffix of what is left. Null where the texts are equal. Linear in their length. `lines` are those of `before`.
 */
export function regionBetween(before: string, after: string, lines: LineTable = lineTable(before)): Region | null {
  const span = spanBetween(before, after, lines);
  return span === null ? null : regionAt(span, lines);
}

/** Where two texts differ: old lines of the 0-based indexes `index` up to but not including `end`, and the text in their place. */
export type Span = { readonly index: number; readonly end: number; readonly fresh: string };

/** Where two texts differ, without a string for each line; null where they are equal. */
export function spanBetween(before: string, after: string, lines: LineTable): Span | null {
  return spanFrom(lines, 0, before, after);
}

/** The same where `before` is whole lines of a text, those from an offset on, and all else of the text stays as it is. */
export function spanFrom(lines: LineTable, offset: number, before: string, after: string): Span | null {
  if (before === after) return null;
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  return {
    index: lineIndexAt(lines, offset + head),
    end: lineIndexAt(lines, offset + before.length - tail),
    fresh: after.slice(head, after.length - tail),
  };
}

/** The region of a span, on the lines that it was found in. */
export function regionAt({ index, end, fresh: text }: Span, lines: LineTable): Region {
  const old = linesAt(lines, index, end);
  const fresh = splitLines(text);
  return {
    oldStart: startOf(index, old),
    newStart: startOf(index, fresh),
    before: linesAt(lines, index - CONTEXT, index),
    old,
    new: fresh,
    after: linesAt(lines, end, end + CONTEXT),
  };
}

/** The 0-based index of the line at which a region's old side begins; lines before it are untouched. */
export function indexOf(region: Region): number {
  return region.old.length === 0 ? region.oldStart : region.oldStart - 1;
}

/** The line by which people know the region: its first old one, or, for an insertion, its first new one. */
export function lineOf({ old, oldStart, newStart }: Region): number {
  return old.length > 0 ? oldStart : newStart;
}

/** The text with the region's new lines in place of its old ones. Throws unless `old` stands exactly at `oldStart`. */
export function applyRegion(text: string, region: Region): string {
  const start = offsetOfLine(text, indexOf(region));
  const old = region.old.join('');
  if (start === null || !text.startsWith(old, start) || !endsLine(text, start + old.length)) {
    throw new Error(`The lines to be replaced do not stand at line ${region.oldStart}.`);
  }
  return text.slice(0, start) + region.new.join('') + text.slice(start + old.length);
}

/**
 * The region that arises when the same lines are replaced at another line of another text, its context read from there.
 * `oldStart` is 1-based, or the line before an insertion. Null where `old` does not stand there, or where lines would run together.
 */
export function placeAt(text: string, region: Region, oldStart: number): Region | null {
  const index = region.old.length === 0 ? oldStart : oldStart - 1;
  if (index < 0) return null;
  const start = offsetOfLine(text, index);
  if (start === null) return null;
  const end = start + region.old.join('').length;
  const stands = sameLines(splitLines(text.slice(start, end)), region.old) && endsLine(text, end);
  if (!stands || !keepsLinesApart(text, start, end, region.new)) return null;
  return regionBetween(text, text.slice(0, start) + region.new.join('') + text.slice(end));
}

/** Whether two regions of one text overlap or touch, so that their order would matter or their contexts would lie. */
export function regionsCollide(left: Region, right: Region): boolean {
  return indexOf(left) <= indexOf(right) + right.old.length && indexOf(right) <= indexOf(left) + left.old.length;
}

/** Whether two regions show a person the same: lines and context, wherever they stand. */
export function sameRegionText(left: Region, right: Region): boolean {
  return (
    sameLines(left.old, right.old) &&
    sameLines(left.new, right.new) &&
    sameLines(left.before, right.before) &&
    sameLines(left.after, right.after)
  );
}

/** Length of the whole lines that both texts begin with. */
export function commonHead(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let shared = 0;
  while (shared + STRIDE <= limit && sameStretch(before, shared, after, shared)) shared += STRIDE;
  while (shared < limit && before.charCodeAt(shared) === after.charCodeAt(shared)) shared += 1;
  return lineStart(before, shared);
}

/** Length of the whole lines that both texts end with, behind their common head; the last one need not end. */
export function commonTail(before: string, after: string, head: number): number {
  const limit = Math.min(before.length, after.length) - head;
  const growth = after.length - before.length;
  let start = before.length;
  const first = before.length - limit;
  while (start - STRIDE >= first && sameStretch(before, start - STRIDE, after, start - STRIDE + growth))
    start -= STRIDE;
  while (start > first && before.charCodeAt(start - 1) === after.charCodeAt(start - 1 + growth)) start -= 1;
  if (startsLine(before, start) && startsLine(after, start + growth)) return before.length - start;
  const feed = before.indexOf('\n', start);
  return feed === -1 ? 0 : before.length - feed - 1;
}

/** Letters that are compared at once: the engine compares stretches far quicker than letters one by one. */
const STRIDE = 4096;

function sameStretch(left: string, at: number, right: string, other: number): boolean {
  return left.slice(at, at + STRIDE) === right.slice(other, other + STRIDE);
}

function startsLine(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n';
}

function endsLine(text: string, offset: number): boolean {
  return offset === text.length || startsLine(text, offset);
}

function keepsLinesApart(text: string, start: number, end: number, fresh: readonly string[]): boolean {
  if (fresh.length === 0) return true;
  const last = fresh.at(-1) ?? '';
  return startsLine(text, start) && (end === text.length || last.endsWith('\n'));
}

function startOf(index: number, lines: readonly string[]): number {
  return lines.length === 0 ? index : index + 1;
}
