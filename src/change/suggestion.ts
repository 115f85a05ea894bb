import type { Region } from './change.ts';
import { bareLine, isTerminated, splitLines } from './lines.ts';
import { indexOf } from './region.ts';

/** A suggestion block: the 1-based lines `first` to `last` of the file are replaced by `lines`, which have no terminators. */
export type Suggestion = { readonly first: number; readonly last: number; readonly lines: readonly string[] };

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
  const base = splitLines(baseText);
  const first = startLine ?? line;
  if (first < 1 || line < first || line > base.length) throw new Error(`The file has no lines ${first} to ${line}.`);
  const open = lines.length > 0 && line === base.length && !isTerminated(base[line - 1] ?? '');
  const block = lines.map((text, index) => (open && index === lines.length - 1 ? text : `${text}\n`));
  return [...base.slice(0, first - 1), ...block, ...base.slice(line)].join('');
}

/**
 * The ways in which a suggestion could say a region, best first. Lines that are replaced are the range; an insertion
 * has none, so it repeats the line before it or, at the top or where that cannot be anchored, the line after it.
 */
export function suggestionsFor(region: Region): Suggestion[] {
  const fresh = region.new.map(bareLine);
  const index = indexOf(region);
  if (region.old.length > 0) return [{ first: index + 1, last: index + region.old.length, lines: fresh }];
  const ways: Suggestion[] = [];
  const before = region.before.at(-1);
  const after = region.after[0];
  if (before !== undefined) ways.push({ first: index, last: index, lines: [bareLine(before), ...fresh] });
  if (after !== undefined) ways.push({ first: index + 1, last: index + 1, lines: [...fresh, bareLine(after)] });
  return ways;
}
