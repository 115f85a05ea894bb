import type { Region } from './change.ts';
import { type LineTable, placesOfLines, standsAt } from './line-table.ts';
import { CONTEXT, indexOf } from './region.ts';

/**
 * Where a region's lines stand with all the context that was shown: 0-based indexes of the first of them (for an
 * insertion: of the line behind it); two at most, because more tell nothing else. `which` is the side that is looked for.
 */
export function placesWithContext(lines: LineTable, region: Region, which: 'old' | 'new'): number[] {
  const found = placesOfLines(lines, [...region.before, ...region[which], ...region.after], 2);
  return found.map((index) => index + region.before.length);
}

/** Whether context that is shorter than usual is so for the same reason as when it was shown: the file begins or ends there. */
export function keepsEdges(lines: LineTable, region: Region, index: number, height: number): boolean {
  const atTop = region.before.length === CONTEXT || index === region.before.length;
  const atBottom = region.after.length === CONTEXT || index + height + region.after.length === lines.count;
  return atTop && atBottom;
}

/**
 * Where a region's old lines stand between the lines right next to them; null unless that is one place. It is for files
 * that only changes apart from this one have touched: they leave those neighbours as they are.
 */
export function placeByNeighbours(lines: LineTable, region: Region): number | null {
  const before = region.before.slice(-1);
  const after = region.after.slice(0, 1);
  const [only, ...others] = placesBetween(lines, before, [...before, ...region.old, ...after], after);
  return only === undefined || others.length > 0 ? null : only + before.length;
}

/** Indexes of all these lines, two at most. Where nothing stood before or behind them, they stand at that end of the file alone. */
function placesBetween(
  lines: LineTable,
  before: readonly string[],
  all: readonly string[],
  after: readonly string[],
): readonly number[] {
  if (before.length > 0 && after.length > 0) return placesOfLines(lines, all, 2);
  const index = before.length > 0 ? lines.count - all.length : 0;
  const reaches = after.length > 0 || index + all.length === lines.count;
  return all.length > 0 && reaches && standsAt(lines, index, all) ? [index] : [];
}

/** Where a region stands in a text that may have moved: at its own line, else at the one place that can be told; else null. */
export function locateRegion(lines: LineTable, region: Region): number | null {
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
    before: comparable(region.before),
    old: comparable(region.old),
    new: comparable(region.new),
    after: comparable(region.after),
  };
}

/** Lines, each of which may have a CRLF at its end alone. */
function comparable(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line.endsWith('\r\n') ? `${line.slice(0, -2)}\n` : line));
}
