/** The index of an old line and that of the equal new line. */
type IndexPair = readonly [number, number];

/** Counters for each line number, all 0 between searches. */
export type LineCounts = { readonly old: Int32Array; readonly new: Int32Array; readonly positions: Int32Array };

/** Allocated once for all gaps, because gaps are many and small. */
export function createLineCounts(numbers: number): LineCounts {
  return { old: new Int32Array(numbers), new: new Int32Array(numbers), positions: new Int32Array(numbers) };
}

/**
 * Lines that most likely correspond: those that are unique on both sides, else those that occur equally often, paired
 * in order. Returns the longest selection that rises on both sides.
 */
export function findAnchors(input: AnchorInput): readonly IndexPair[] {
  const { old, oldIndexes, new: newLines, newIndexes, counts } = input;
  for (const index of oldIndexes) addAt(counts.old, old[index] ?? 0, 1);
  for (const index of newIndexes) addAt(counts.new, newLines[index] ?? 0, 1);
  const hasUnique = oldIndexes.some((index) => sharedCount(counts, old[index] ?? 0) === 1);
  const pairs = pairByOccurrence(input, hasUnique ? 1 : Number.POSITIVE_INFINITY);
  for (const index of oldIndexes) counts.old[old[index] ?? 0] = 0;
  for (const index of newIndexes) counts.new[newLines[index] ?? 0] = 0;
  return longestIncreasing(pairs);
}

function addAt(numbers: Int32Array, at: number, by: number): void {
  numbers[at] = (numbers[at] ?? 0) + by;
}

/** How often a line occurs on each side; 0 if the sides differ. */
function sharedCount({ old, new: newLines }: LineCounts, line: number): number {
  return old[line] === newLines[line] ? (old[line] ?? 0) : 0;
}

/** Line numbers of two versions, and the rising indexes of the lines to look at. */
type AnchorInput = {
  readonly old: Int32Array;
  readonly oldIndexes: readonly number[];
  readonly new: Int32Array;
  readonly newIndexes: readonly number[];
  readonly counts: LineCounts;
};

/** Index pairs in two arrays, of which the first `count` entries are used: there can be very many. */
type PairLists = { readonly oldSide: Int32Array; readonly newSide: Int32Array; count: number };

function pairByOccurrence(
  { old, oldIndexes, new: newLines, newIndexes, counts }: AnchorInput,
  maxCount: number,
): PairLists {
  // For each line a linked list of its positions in `newIndexes`, counted from 1; 0 ends it.
  const next = new Int32Array(newIndexes.length + 1);
  for (let at = newIndexes.length; at > 0; at -= 1) {
    const line = newLines[newIndexes[at - 1] ?? 0] ?? 0;
    next[at] = counts.positions[line] ?? 0;
    counts.positions[line] = at;
  }
  const pairs: PairLists = {
    oldSide: new Int32Array(oldIndexes.length),
    newSide: new Int32Array(oldIndexes.length),
    count: 0,
  };
  for (const index of oldIndexes) {
    const line = old[index] ?? 0;
    const times = sharedCount(counts, line);
    if (times === 0 || times > maxCount) continue;
    const at = counts.positions[line] ?? 0;
    counts.positions[line] = next[at] ?? 0;
    pairs.oldSide[pairs.count] = index;
    pairs.newSide[pairs.count] = newIndexes[at - 1] ?? 0;
    pairs.count += 1;
  }
  for (const index of newIndexes) counts.positions[newLines[index] ?? 0] = 0;
  return pairs;
}

const NO_PILE = -1;

/** The longest subsequence of pairs in which the new index rises too (patience sorting). */
function longestIncreasing({ oldSide, newSide, count }: PairLists): readonly IndexPair[] {
  const tops = new Int32Array(count);
  const below = new Int32Array(count);
  let piles = 0;
  for (let at = 0; at < count; at += 1) {
    const pile = findPile(newSide, tops, piles, newSide[at] ?? 0);
    below[at] = pile === 0 ? NO_PILE : (tops[pile - 1] ?? NO_PILE);
    tops[pile] = at;
    if (pile === piles) piles += 1;
  }
  const rising: IndexPair[] = [];
  for (let at = piles === 0 ? NO_PILE : (tops[piles - 1] ?? NO_PILE); at !== NO_PILE; at = below[at] ?? NO_PILE) {
    rising.push([oldSide[at] ?? 0, newSide[at] ?? 0]);
  }
  return rising.reverse();
}

/** The first pile whose top is at least `other`. */
function findPile(others: Int32Array, tops: Int32Array, piles: number, other: number): number {
  let [from, to] = [0, piles];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((others[tops[middle] ?? 0] ?? 0) < other) from = middle + 1;
    else to = middle;
  }
  return from;
}
