import type { Region } from './change.ts';
import { CONTEXT_LINES, regionIndex } from './region.ts';
import {
  createLineRun,
  findLineRuns,
  isLineRunAt,
  joinLineRuns,
  type LineRun,
  type LineTable,
} from './text/line-table.ts';
import { crLfToLf } from './text/lines.ts';

/**
 * A region prepared for searches: its sides and context as runs of lines. `above` and `below` are the lines next to
 * it.
 */
type RegionPattern = {
  readonly index: number;
  readonly before: LineRun;
  readonly old: LineRun;
  readonly new: LineRun;
  readonly after: LineRun;
  readonly above: LineRun;
  readonly below: LineRun;
};

/** `ignoresCr` takes every CRLF as LF, to compare with pushed files. */
export function createRegionPattern(region: Region, ignoresCr = false): RegionPattern {
  const { before, after } = region;
  const join = (lines: readonly string[]): LineRun => {
    const { text } = createLineRun(lines);
    return { text: ignoresCr ? crLfToLf(text) : text, lineCount: lines.length };
  };
  return {
    index: regionIndex(region),
    before: join(before),
    old: join(region.old),
    new: join(region.new),
    after: join(after),
    above: join(before.slice(-1)),
    below: join(after.slice(0, 1)),
  };
}

/**
 * Finds the 0-based index of a region in a text that might have moved it: at its own line, else at the only place with
 * its full context, else between its neighbors. Null if that is ambiguous.
 */
export function locateRegion(lines: LineTable, pattern: RegionPattern): number | null {
  const { index, before, old, after, above, below } = pattern;
  const whole = joinLineRuns(before, old, after);
  if (isLineRunAt(lines, index - before.lineCount, whole)) return index;
  if (whole.lineCount === 0) return null;
  const betweenNeighbors = findBetweenNeighbors(lines, pattern);
  const [only, ...others] = betweenNeighbors;
  // The full context includes both neighbors, so no other place can have it.
  if (above.lineCount > 0 && below.lineCount > 0 && others.length === 0) return only ?? null;
  const [withContext, ...more] = findWithContext(lines, pattern, 'old');
  if (withContext !== undefined && more.length === 0) return withContext;
  return only === undefined || others.length > 0 ? null : only;
}

/**
 * The 0-based indexes of one side with its full context; for an insertion, of the line behind it. At most two, because
 * a second one proves that the place is ambiguous.
 */
export function findWithContext(lines: LineTable, pattern: RegionPattern, side: 'old' | 'new'): number[] {
  const found = findLineRuns(lines, joinLineRuns(pattern.before, pattern[side], pattern.after), 2);
  return found.map((index) => index + pattern.before.lineCount);
}

/** Whether shortened context still has its reason: the file starts or ends there. */
export function hasSameFileEdges(
  lines: LineTable,
  { before, after }: RegionPattern,
  index: number,
  lineCount: number,
): boolean {
  const atTop = before.lineCount === CONTEXT_LINES || index === before.lineCount;
  const atBottom = after.lineCount === CONTEXT_LINES || index + lineCount + after.lineCount === lines.lineCount;
  return atTop && atBottom;
}

/**
 * Up to two places of the old lines between their direct neighbors, which other changes leave as they are. Without a
 * neighbor the lines must be at that end of the file.
 */
function findBetweenNeighbors(lines: LineTable, { above, old, below }: RegionPattern): readonly number[] {
  const combined = joinLineRuns(above, old, below);
  const found =
    above.lineCount > 0 && below.lineCount > 0
      ? findLineRuns(lines, combined, 2)
      : findAtFileEdge(lines, combined, above, below);
  return found.map((index) => index + above.lineCount);
}

function findAtFileEdge(lines: LineTable, combined: LineRun, above: LineRun, below: LineRun): readonly number[] {
  const index = above.lineCount > 0 ? lines.lineCount - combined.lineCount : 0;
  const reaches = below.lineCount > 0 || index + combined.lineCount === lines.lineCount;
  return combined.lineCount > 0 && reaches && isLineRunAt(lines, index, combined) ? [index] : [];
}
