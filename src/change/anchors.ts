/** An index of one side and the index of the other that stands for it. */
export type IndexPair = readonly [number, number];

/** What is counted of each line number while anchors are looked for: all zero before and after. */
export type Counts = { readonly old: Int32Array; readonly fresh: Int32Array; readonly places: Int32Array };

/** Room for lines of so many numbers, made once: gaps are many and small. */
export function countsFor(numbers: number): Counts {
  return { old: new Int32Array(numbers), fresh: new Int32Array(numbers), places: new Int32Array(numbers) };
}

/**
 * Lines that most likely stand for each other: those that stand once on either side, else those that stand equally often
 * on both, the first for the first and so on; of them as many as are in the same order. Lines are numbers, equal where
 * the lines are; of each side only the lines at the given rising indexes are looked at.
 */
export function anchors(
  old: Int32Array,
  left: readonly number[],
  fresh: Int32Array,
  right: readonly number[],
  counts: Counts,
): readonly IndexPair[] {
  for (const index of left) add(counts.old, old[index] ?? 0, 1);
  for (const index of right) add(counts.fresh, fresh[index] ?? 0, 1);
  const once = left.some((index) => timesIn(counts, old[index] ?? 0) === 1);
  const pairs = pairsOf({ old, left, fresh, right, counts }, once ? 1 : Number.POSITIVE_INFINITY);
  for (const index of left) counts.old[old[index] ?? 0] = 0;
  for (const index of right) counts.fresh[fresh[index] ?? 0] = 0;
  return longestRising(pairs);
}

function add(numbers: Int32Array, at: number, by: number): void {
  numbers[at] = (numbers[at] ?? 0) + by;
}

/** How often a line stands on both sides; 0 where that differs. */
function timesIn({ old, fresh }: Counts, line: number): number {
  return old[line] === fresh[line] ? (old[line] ?? 0) : 0;
}

type Sides = {
  readonly old: Int32Array;
  readonly left: readonly number[];
  readonly fresh: Int32Array;
  readonly right: readonly number[];
  readonly counts: Counts;
};

/** The first `count` pairs of an index and the index of the other side, lists of numbers because there may be very many. */
type Pairs = { readonly ones: Int32Array; readonly others: Int32Array; count: number };

function pairsOf({ old, left, fresh, right, counts }: Sides, mostTimes: number): Pairs {
  // Of each line its places on the right, the first one first, as a chain of positions from 1; 0 ends it.
  const next = new Int32Array(right.length + 1);
  for (let at = right.length; at > 0; at -= 1) {
    const line = fresh[right[at - 1] ?? 0] ?? 0;
    next[at] = counts.places[line] ?? 0;
    counts.places[line] = at;
  }
  const pairs: Pairs = { ones: new Int32Array(left.length), others: new Int32Array(left.length), count: 0 };
  for (const index of left) {
    const line = old[index] ?? 0;
    const times = timesIn(counts, line);
    if (times === 0 || times > mostTimes) continue;
    const at = counts.places[line] ?? 0;
    counts.places[line] = next[at] ?? 0;
    pairs.ones[pairs.count] = index;
    pairs.others[pairs.count] = right[at - 1] ?? 0;
    pairs.count += 1;
  }
  for (const index of right) counts.places[fresh[index] ?? 0] = 0;
  return pairs;
}

const NONE = -1;

/** The longest run of pairs, not necessarily neighbours, in which the other index rises too (patience sorting). */
function longestRising({ ones, others, count }: Pairs): readonly IndexPair[] {
  const tops = new Int32Array(count);
  const below = new Int32Array(count);
  let piles = 0;
  for (let at = 0; at < count; at += 1) {
    const pile = firstNotBelow(others, tops, piles, others[at] ?? 0);
    below[at] = pile === 0 ? NONE : (tops[pile - 1] ?? NONE);
    tops[pile] = at;
    if (pile === piles) piles += 1;
  }
  const rising: IndexPair[] = [];
  for (let at = piles === 0 ? NONE : (tops[piles - 1] ?? NONE); at !== NONE; at = below[at] ?? NONE) {
    rising.push([ones[at] ?? 0, others[at] ?? 0]);
  }
  return rising.reverse();
}

/** The first of so many piles whose top has at least this other index. */
function firstNotBelow(others: Int32Array, tops: Int32Array, piles: number, other: number): number {
  let [from, to] = [0, piles];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((others[tops[middle] ?? 0] ?? 0) < other) from = middle + 1;
    else to = middle;
  }
  return from;
}
