/** An index of one side and the index of the other that stands for it. */
export type IndexPair = readonly [number, number];

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
): readonly IndexPair[] {
  const inOld = placesByLine(old, left);
  const inNew = placesByLine(fresh, right);
  const single = pairsOf(inOld, inNew, 1);
  return longestRising(single.length > 0 ? single : pairsOf(inOld, inNew, Number.POSITIVE_INFINITY));
}

type Places = ReadonlyMap<number, readonly number[]>;

function placesByLine(lines: Int32Array, indexes: readonly number[]): Places {
  const places = new Map<number, number[]>();
  for (const index of indexes) {
    const line = lines[index] ?? 0;
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  return places;
}

function pairsOf(inOld: Places, inNew: Places, mostTimes: number): IndexPair[] {
  const pairs: IndexPair[] = [];
  for (const [line, indexes] of inOld) {
    const others = inNew.get(line);
    if (others?.length !== indexes.length || indexes.length > mostTimes) continue;
    for (const [time, index] of indexes.entries()) pairs.push([index, others[time] ?? 0]);
  }
  return pairs.sort(([one], [other]) => one - other);
}

const NONE = -1;

/** The longest run of pairs, not necessarily neighbours, in which the other index rises too (patience sorting). */
function longestRising(pairs: readonly IndexPair[]): readonly IndexPair[] {
  const tops: number[] = [];
  const below = new Int32Array(pairs.length);
  for (const [at, [, other]] of pairs.entries()) {
    const pile = firstNotBelow(pairs, tops, other);
    below[at] = tops[pile - 1] ?? NONE;
    tops[pile] = at;
  }
  const rising: IndexPair[] = [];
  for (let at = tops.at(-1) ?? NONE; at !== NONE; at = below[at] ?? NONE) {
    const pair = pairs[at];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.reverse();
}

/** The first pile whose top has at least this other index. */
function firstNotBelow(pairs: readonly IndexPair[], tops: readonly number[], other: number): number {
  let [from, to] = [0, tops.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((pairs[tops[middle] ?? 0]?.[1] ?? 0) < other) from = middle + 1;
    else to = middle;
  }
  return from;
}
