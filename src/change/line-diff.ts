import { diffArrays } from 'diff';
import { anchors, type Counts, countsFor } from './anchors.ts';
import type { NumberedLines } from './numbered-lines.ts';

/**
 * Which lines two versions of a text have in common: for each old line the 0-based index of the new line that it
 * stands for, rising; -1 for a line that is gone. All that is not in it was taken away or added.
 *
 * Exact (as few lines changed as can be) while the two differ little. Else lines that both have once hold them together,
 * and only what lies between those is compared exactly. The work is bounded by `effort`, from which it is counted down:
 * where nothing is left of that, the lines that are still to be told apart are taken away and added.
 */
export function pairLines(lines: NumberedLines, effort: Effort = fullEffort()): Int32Array {
  const { old, fresh, lengths } = lines;
  const pairs = new Int32Array(old.length).fill(UNPAIRED);
  const { length } = lengths;
  const search: Search = { old, fresh, pairs, marks: new Int32Array(length), counts: countsFor(length), effort };
  const gaps: Gap[] = [{ oldFrom: 0, oldTo: old.length, newFrom: 0, newTo: fresh.length, depth: 0 }];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop())
    for (const part of closeGap(search, gap)) gaps.push(part);
  return pairs;
}

export const UNPAIRED = -1;

/**
 * What may still be spent on telling lines apart: `steps` of exact comparisons, each of which takes the square of its
 * differences, and `looks` at lines of gaps. Neither ever falls below 0.
 */
export type Effort = { steps: number; looks: number };

/** Some tens of milliseconds. */
export function fullEffort(): Effort {
  return { steps: 150_000, looks: 120_000 };
}

/** Differences beyond which a gap is divided instead of being compared exactly. */
const MOST_EDITS = 200;
/** The same for long gaps, where each difference may be looked for along all of their lines. */
const MOST_EDITS_TIMES_LINES = 4_000_000;
/** How often a gap is divided; each time all that is left in it is looked at again. */
const MOST_DEPTH = 12;

type Gap = {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
  readonly depth: number;
};

/** `marks` has room for a mark of each line number. */
type Search = {
  readonly old: Int32Array;
  readonly fresh: Int32Array;
  readonly pairs: Int32Array;
  readonly marks: Int32Array;
  readonly counts: Counts;
  readonly effort: Effort;
};

/** Pairs what can be told of a gap, and gives the smaller gaps that remain. */
function closeGap(search: Search, whole: Gap): readonly Gap[] {
  const gap = trim(search, whole);
  if (gap.oldFrom === gap.oldTo || gap.newFrom === gap.newTo) return [];
  const height = gap.oldTo - gap.oldFrom + gap.newTo - gap.newFrom;
  if (height > search.effort.looks) return [];
  search.effort.looks -= height;
  const left = sharedIndexes(
    search,
    search.old.subarray(0, gap.oldTo),
    gap.oldFrom,
    search.fresh.subarray(gap.newFrom, gap.newTo),
  );
  const right = sharedIndexes(
    search,
    search.fresh.subarray(0, gap.newTo),
    gap.newFrom,
    search.old.subarray(gap.oldFrom, gap.oldTo),
  );
  if (left.length === 0 || right.length === 0) return [];
  if (pairExactly(search, left, right, MOST_EDITS)) return [];
  const parts = gap.depth === MOST_DEPTH ? [] : divide(search, gap, left, right);
  // With nothing to hold on to, all the steps that are left may go into this one gap.
  if (parts.length === 0) pairExactly(search, left, right, Number.POSITIVE_INFINITY);
  return parts;
}

/** Pairs the lines with which both sides begin and end. */
function trim({ old, fresh, pairs }: Search, gap: Gap): Gap {
  let { oldFrom, oldTo, newFrom, newTo } = gap;
  while (oldFrom < oldTo && newFrom < newTo && old[oldFrom] === fresh[newFrom]) {
    pairs[oldFrom] = newFrom;
    oldFrom += 1;
    newFrom += 1;
  }
  while (oldFrom < oldTo && newFrom < newTo && old[oldTo - 1] === fresh[newTo - 1]) {
    oldTo -= 1;
    newTo -= 1;
    pairs[oldTo] = newTo;
  }
  return { oldFrom, oldTo, newFrom, newTo, depth: gap.depth };
}

/** The indexes, from one on, of the lines that the other side has too; no other line can be paired. */
function sharedIndexes({ marks }: Search, lines: Int32Array, from: number, others: Int32Array): readonly number[] {
  for (let index = 0; index < others.length; index += 1) marks[others[index] ?? 0] = 1;
  const shared: number[] = [];
  for (let index = from; index < lines.length; index += 1) if (marks[lines[index] ?? 0] === 1) shared.push(index);
  for (let index = 0; index < others.length; index += 1) marks[others[index] ?? 0] = 0;
  return shared;
}

/** Whether as many pairs as there can be were found within the bounds. */
function pairExactly(search: Search, left: readonly number[], right: readonly number[], mostEdits: number): boolean {
  const { old, fresh, pairs } = search;
  const height = left.length + right.length;
  const long = Math.floor(MOST_EDITS_TIMES_LINES / height);
  const most = Math.min(mostEdits, Math.floor(Math.sqrt(search.effort.steps)), height, long);
  const parts = diffArrays(
    left.map((index) => old[index]),
    right.map((index) => fresh[index]),
    { maxEditLength: most },
  );
  if (parts === undefined) {
    search.effort.steps -= most * most;
    return false;
  }
  let [at, other, edits] = [0, 0, 0];
  for (const { added, removed, count } of parts) {
    const paired = !added && !removed;
    for (let step = 0; paired && step < count; step += 1) pairs[left[at + step] ?? 0] = right[other + step] ?? 0;
    if (!paired) edits += count;
    if (!added) at += count;
    if (!removed) other += count;
  }
  search.effort.steps -= edits * edits;
  return true;
}

/** Pairs what most likely belongs together; gives what lies between. */
function divide(
  { old, fresh, pairs, counts }: Search,
  gap: Gap,
  left: readonly number[],
  right: readonly number[],
): Gap[] {
  const gaps: Gap[] = [];
  let { oldFrom, newFrom } = gap;
  const depth = gap.depth + 1;
  const matches = anchors(old, left, fresh, right, counts);
  if (matches.length === 0) return [];
  for (const [one, other] of matches) {
    pairs[one] = other;
    gaps.push({ oldFrom, oldTo: one, newFrom, newTo: other, depth });
    oldFrom = one + 1;
    newFrom = other + 1;
  }
  gaps.push({ oldFrom, oldTo: gap.oldTo, newFrom, newTo: gap.newTo, depth });
  return gaps;
}
