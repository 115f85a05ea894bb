import type { Region } from './change.ts';
import { joined, type LineTable, placesOfLines, type Stretch, standsAt, stretchOf } from './line-table.ts';
import { withoutCarriageReturns } from './lines.ts';
import { CONTEXT, indexOf } from './region.ts';

/** What is looked for of a region: each of its sides as one text, the lines right next to its place, and where it stood. */
export type Sides = {
  readonly index: number;
  readonly before: Stretch;
  readonly old: Stretch;
  readonly new: Stretch;
  readonly after: Stretch;
  readonly above: Stretch;
  readonly below: Stretch;
};

export function sidesOf(region: Region): Sides {
  return sidesBy(stretchOf, region);
}

/** The same with every CRLF taken as LF, for comparing what people pushed. */
export function comparableSides(region: Region): Sides {
  return sidesBy(comparable, region);
}

function sidesBy(join: (lines: readonly string[]) => Stretch, region: Region): Sides {
  const { before, after } = region;
  let fresh: Stretch | null = null;
  return {
    index: indexOf(region),
    before: join(before),
    old: join(region.old),
    // Most that is looked for by its old lines does not stand there any more.
    get new() {
      fresh ??= join(region.new);
      return fresh;
    },
    after: join(after),
    above: join(before.slice(-1)),
    below: join(after.slice(0, 1)),
  };
}

function comparable(lines: readonly string[]): Stretch {
  const { text } = stretchOf(lines);
  return { text: withoutCarriageReturns(text), lines: lines.length };
}

/**
 * Where a region's lines stand with all the context that was shown: 0-based indexes of the first of them (for an
 * insertion: of the line behind it); two at most, because more tell nothing else. `which` is the side that is looked for.
 */
export function placesWithContext(lines: LineTable, sides: Sides, which: 'old' | 'new'): number[] {
  const found = placesOfLines(lines, joined(sides.before, sides[which], sides.after), 2);
  return found.map((index) => index + sides.before.lines);
}

/** Whether context that is shorter than usual is so for the same reason as when it was shown: the file begins or ends there. */
export function keepsEdges(lines: LineTable, { before, after }: Sides, index: number, height: number): boolean {
  const atTop = before.lines === CONTEXT || index === before.lines;
  const atBottom = after.lines === CONTEXT || index + height + after.lines === lines.count;
  return atTop && atBottom;
}

/**
 * Where a region's old lines stand between the lines right next to them, two places at most: for files that only changes
 * apart from this one have touched, which leave those neighbours as they are. Where nothing stood before or behind them,
 * they stand at that end of the file alone.
 */
function placesBetween(lines: LineTable, { above, old, below }: Sides): readonly number[] {
  const all = joined(above, old, below);
  const found =
    above.lines > 0 && below.lines > 0 ? placesOfLines(lines, all, 2) : placesAtEnd(lines, all, above, below);
  return found.map((index) => index + above.lines);
}

function placesAtEnd(lines: LineTable, all: Stretch, above: Stretch, below: Stretch): readonly number[] {
  const index = above.lines > 0 ? lines.count - all.lines : 0;
  const reaches = below.lines > 0 || index + all.lines === lines.count;
  return all.lines > 0 && reaches && standsAt(lines, index, all) ? [index] : [];
}

/** Where a region stands in a text that may have moved: at its own line, else at the one place that can be told; else null. */
export function locateRegion(lines: LineTable, sides: Sides): number | null {
  const { index, before, old, after, above, below } = sides;
  const whole = joined(before, old, after);
  if (standsAt(lines, index - before.lines, whole)) return index;
  if (whole.lines === 0) return null;
  const byNeighbours = placesBetween(lines, sides);
  const [only, ...others] = byNeighbours;
  // With all of the context they stand nowhere else than between those neighbours: one place of these is that of both.
  if (above.lines > 0 && below.lines > 0 && others.length === 0) return only ?? null;
  const [shown, ...more] = placesWithContext(lines, sides, 'old');
  if (shown !== undefined && more.length === 0) return shown;
  return only === undefined || others.length > 0 ? null : only;
}
