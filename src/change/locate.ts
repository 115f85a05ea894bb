import type { Region } from './change.ts';
import { withoutCarriageReturns } from './lines.ts';
import { findLines } from './occurrences.ts';
import { CONTEXT, indexOf } from './region.ts';

/** Whether the lines that a text has at a 0-based index are these. */
export function standsAt(lines: readonly string[], index: number, sought: readonly string[]): boolean {
  if (index < 0 || index + sought.length > lines.length) return false;
  return sought.every((line, position) => line === lines[index + position]);
}

/**
 * Where a region's lines stand with all the context that was shown: 0-based indexes of the first of them (for an
 * insertion: of the line behind it). `which` is the side that is looked for.
 */
export function placesWithContext(lines: readonly string[], region: Region, which: 'old' | 'new'): number[] {
  const found = findLines(lines, [...region.before, ...region[which], ...region.after]);
  return found.map((index) => index + region.before.length);
}

/** Whether context that is shorter than usual is so for the same reason as when it was shown: the file begins or ends there. */
export function keepsEdges(lines: readonly string[], region: Region, index: number, height: number): boolean {
  const atTop = region.before.length === CONTEXT || index === region.before.length;
  const atBottom = region.after.length === CONTEXT || index + height + region.after.length === lines.length;
  return atTop && atBottom;
}

/**
 * Where a region's old lines stand between the lines right next to them; null unless that is one place. It is for files
 * that only changes apart from this one have touched: they leave those neighbours as they are.
 */
export function placeByNeighbours(lines: readonly string[], region: Region): number | null {
  const before = region.before.slice(-1);
  const after = region.after.slice(0, 1);
  const found = findLines(lines, [...before, ...region.old, ...after])
    .map((index) => index + before.length)
    .filter((index) => before.length > 0 || index === 0)
    .filter((index) => after.length > 0 || index + region.old.length === lines.length);
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

/** Where a region stands in a text that may have moved: at its own line, else at the one place that can be told; else null. */
export function locateRegion(lines: readonly string[], region: Region): number | null {
  const own = indexOf(region);
  const whole = [...region.before, ...region.old, ...region.after];
  if (standsAt(lines, own - region.before.length, whole)) return own;
  if (whole.length === 0) return null;
  const [only, ...others] = placesWithContext(lines, region, 'old');
  if (only !== undefined && others.length === 0) return only;
  return placeByNeighbours(lines, region);
}

/** The region with every CRLF taken as LF, for comparing what people pushed. */
export function comparableRegion(region: Region): Region {
  return {
    ...region,
    before: region.before.map(withoutCarriageReturns),
    old: region.old.map(withoutCarriageReturns),
    new: region.new.map(withoutCarriageReturns),
    after: region.after.map(withoutCarriageReturns),
  };
}
