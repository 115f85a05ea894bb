import { diffArrays } from 'diff';
import { countCommonLines } from './lines.ts';

/** Marks a deleted line. */
export const UNPAIRED = -1;

/** More differences make a longer diff than people can review. */
const MAX_EDITS = 1_000;

/**
 * For each old line the 0-based index of the new line that it became, rising, or `UNPAIRED`. The diff is minimal; lines
 * with more than 1,000 differences count as replaced.
 */
export function pairLines(old: readonly string[], newLines: readonly string[]): Int32Array {
  const pairs = new Int32Array(old.length).fill(UNPAIRED);
  const { head, tail } = countCommonLines(old, newLines);
  const [oldEnd, newEnd] = [old.length - tail, newLines.length - tail];
  for (let at = 0; at < head; at += 1) pairs[at] = at;
  for (let back = 1; back <= tail; back += 1) pairs[old.length - back] = newLines.length - back;
  const parts =
    head === oldEnd || head === newEnd
      ? []
      : (diffArrays(old.slice(head, oldEnd), newLines.slice(head, newEnd), { maxEditLength: MAX_EDITS }) ?? []);
  let [at, other] = [head, head];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) for (let step = 0; step < count; step += 1) pairs[at + step] = other + step;
    if (!added) at += count;
    if (!removed) other += count;
  }
  return pairs;
}
