import type { Region } from '../change.ts';
import { regionIndex } from '../region.ts';
import { withoutLineEnding } from '../text/lines.ts';
import { refineBlock } from './unified-diff.ts';

/** A line of the file, 1-based, without its ending. */
export type FileLine = { readonly line: number; readonly text: string };

/** A hunk that replaces more lines could hide a part of the file that was left out. */
const MAX_REPLACED_TOGETHER = 2;

/**
 * Whether a user's lines are clearly a whole new file, and no part of it: they begin and end as the proposed one does,
 * and hardly any line of it is without another in its place. One line has no parts.
 */
export function isClearlyWhole(proposed: readonly string[], lines: readonly string[]): boolean {
  const [old, mine] = [proposed, lines].map((all) => dropBlankEnd(all.map((line) => line.trimEnd())));
  if (old === undefined || mine === undefined) return false;
  if (old.length <= 1) return true;
  if (old[0] !== mine[0] || old.at(-1) !== mine.at(-1)) return false;
  return refineBlock({ index: 0, old, new: mine }).every(
    (hunk) => hunk.old.length <= Math.min(hunk.new.length, MAX_REPLACED_TOGETHER),
  );
}

function dropBlankEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

/**
 * The first unchanged line beside the region that a user's lines repeat, so that the file would have it twice: the
 * lines might be the whole file, or have context. Lines that the proposal repeats too, and brackets, say nothing.
 */
export function findRepeatedLine(region: Region, lines: readonly string[]): FileLine | null {
  const [above, below] = [region.before.map(withoutLineEnding), region.after.map(withoutLineEnding)];
  const proposed = region.new.map(withoutLineEnding);
  const index = regionIndex(region);
  const isRepeated = (context: readonly string[], next: string | undefined, at: 0 | -1): boolean => {
    if (next === undefined || !/\w/.test(next) || proposed.includes(next)) return false;
    return lines.at(at) === next || containsRun(lines, context);
  };
  if (isRepeated(above, above.at(-1), 0)) return { line: index, text: above.at(-1) ?? '' };
  return isRepeated(below, below[0], -1) ? { line: index + region.old.length + 1, text: below[0] ?? '' } : null;
}

function containsRun(lines: readonly string[], run: readonly string[]): boolean {
  return lines.some((_, at) => run.every((line, index) => lines[at + index] === line));
}
