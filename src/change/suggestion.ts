import type { Region } from './change.ts';
import { lineTable, offsetAt } from './line-table.ts';
import { bareLine, isTerminated } from './lines.ts';
import { indexOf } from './region.ts';

/**
 * A suggestion block: the 1-based lines `first` to `last` of the file are replaced by `lines`, which have no terminators.
 * `anchored` are the lines that stand there, with theirs.
 */
export type Suggestion = {
  readonly first: number;
  readonly last: number;
  readonly anchored: readonly string[];
  readonly lines: readonly string[];
};

/**
 * What GitHub makes of a file when somebody commits a suggestion: the anchored lines are replaced by the block's,
 * an empty block deletes them, and a last line without a newline stays so. `startLine` is null for a single line.
 */
export function applySuggestion(
  baseText: string,
  startLine: number | null,
  line: number,
  lines: readonly string[],
): string {
  const base = lineTable(baseText);
  const first = startLine ?? line;
  if (first < 1 || line < first || line > base.count) throw new Error(`The file has no lines ${first} to ${line}.`);
  const open = lines.length > 0 && line === base.count && !isTerminated(baseText);
  const block = lines.map((text) => `${text}\n`).join('');
  const [start, end] = [offsetAt(base, first - 1), offsetAt(base, line)];
  return baseText.slice(0, start) + (open ? block.slice(0, -1) : block) + baseText.slice(end);
}

/**
 * The ways in which a suggestion could say a region, best first. Lines that are replaced are the range; an insertion
 * has none, so it repeats the line before it or, at the top or where that cannot be anchored, the line after it.
 */
export function suggestionsFor(region: Region): Suggestion[] {
  const fresh = region.new.map(bareLine);
  const index = indexOf(region);
  if (region.old.length > 0) {
    return [{ first: index + 1, last: index + region.old.length, anchored: region.old, lines: fresh }];
  }
  const ways: Suggestion[] = [];
  const before = region.before.at(-1);
  const after = region.after[0];
  if (before !== undefined) {
    ways.push({ first: index, last: index, anchored: [before], lines: [bareLine(before), ...fresh] });
  }
  if (after !== undefined) {
    ways.push({ first: index + 1, last: index + 1, anchored: [after], lines: [...fresh, bareLine(after)] });
  }
  return ways;
}
