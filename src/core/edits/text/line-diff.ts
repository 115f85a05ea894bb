import { diffArrays } from 'diff';
import { createLineCounts, findAnchors, type LineCounts } from './anchors.ts';
import { countCommonLines } from './lines.ts';

/**
 * The lines of two versions as numbers from 0; equal lines have the same number. By number: the length of the line,
 * and how many times more often it occurs in the old version than in the new one.
 */
export type NumberedLines = {
  readonly old: Int32Array;
  readonly new: Int32Array;
  readonly lengths: readonly number[];
  readonly surplus: readonly number[];
};

/** Numbers the lines of two versions, so that later steps compare integers. */
export function numberLines(old: readonly string[], newLines: readonly string[]): NumberedLines {
  const numbering: Numbering = { numbers: new Map(), firstAt: [], lengths: [], surplus: [] };
  const { firstAt, lengths, surplus } = numbering;
  const numbers: NumberedLines = {
    old: new Int32Array(old.length),
    new: new Int32Array(newLines.length),
    lengths,
    surplus,
  };
  for (let index = 0; index < old.length; index += 1) {
    const number = assignNumber(old[index] ?? '', numbering, index);
    numbers.old[index] = number;
    surplus[number] = (surplus[number] ?? 0) + 1;
  }
  // Most lines moved as far as the line before them, and comparing is much faster than looking up.
  let shift = 0;
  for (let index = 0; index < newLines.length; index += 1) {
    const line = newLines[index] ?? '';
    const same = line === old[index + shift];
    const number = same ? (numbers.old[index + shift] ?? 0) : assignNumber(line, numbering, NOT_IN_OLD);
    const first = firstAt[number] ?? NOT_IN_OLD;
    if (!same && first !== NOT_IN_OLD) shift = first - index;
    numbers.new[index] = number;
    surplus[number] = (surplus[number] ?? 0) - 1;
  }
  return numbers;
}

type Numbering = {
  readonly numbers: Map<string, number>;
  /** By number: the first index of the line in the old version. */
  readonly firstAt: number[];
  readonly lengths: number[];
  readonly surplus: number[];
};

const NOT_IN_OLD = -1;

function assignNumber(line: string, { numbers, firstAt, lengths }: Numbering, at: number): number {
  const existing = numbers.get(line);
  if (existing !== undefined) return existing;
  const number = lengths.push(line.length) - 1;
  firstAt.push(at);
  numbers.set(line, number);
  return number;
}

/**
 * A lower bound for the characters of any diff, without context and headers: each surplus occurrence of a line appears
 * in it.
 */
export function minDiffCharacters({ lengths, surplus }: NumberedLines): number {
  let characters = 0;
  for (let number = 0; number < lengths.length; number += 1) {
    characters += Math.abs(surplus[number] ?? 0) * ((lengths[number] ?? 0) + 1);
  }
  return characters;
}

/** Marks a deleted line. */
export const UNPAIRED = -1;

/**
 * For each old line the 0-based index of the new line that it became, rising, or `UNPAIRED`. The diff is minimal for
 * few differences; else lines that are unique on both sides divide it (patience diff). Without remaining `effort`,
 * lines count as replaced.
 */
export function diffNumberedLines(lines: NumberedLines, effort: DiffEffort = createDiffEffort()): Int32Array {
  const { old, new: newLines, lengths } = lines;
  const pairs = new Int32Array(old.length).fill(UNPAIRED);
  const { length } = lengths;
  const search: DiffSearch = {
    old,
    new: newLines,
    pairs,
    marks: new Int32Array(length),
    counts: createLineCounts(length),
    effort,
  };
  const gaps: Gap[] = [{ oldFrom: 0, oldTo: old.length, newFrom: 0, newTo: newLines.length, depth: 0 }];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop())
    for (const part of resolveGap(search, gap)) gaps.push(part);
  return pairs;
}

/** Remaining work, never below 0. An exact comparison takes the square of its differences in `editSteps`. */
type DiffEffort = { editSteps: number; lineVisits: number };

/** Allows some tens of milliseconds of work. */
export function createDiffEffort(): DiffEffort {
  return { editSteps: 150_000, lineVisits: 120_000 };
}

/** With more differences a gap is divided instead of compared exactly. */
const MAX_EDITS = 200;

/** Limits the differences in long gaps, where the search for each one can visit all lines. */
const MAX_EDITS_TIMES_LINES = 4_000_000;

/** How often a gap is divided. Each division visits all remaining lines once more. */
const MAX_DEPTH = 12;

type Gap = {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
  readonly depth: number;
};

/** `marks` and `counts` have an entry for each line number. */
type DiffSearch = {
  readonly old: Int32Array;
  readonly new: Int32Array;
  readonly pairs: Int32Array;
  readonly marks: Int32Array;
  readonly counts: LineCounts;
  readonly effort: DiffEffort;
};

/** Pairs the lines of a gap that it can, and returns the smaller gaps that remain. */
function resolveGap(search: DiffSearch, outer: Gap): readonly Gap[] {
  const gap = trimGap(search, outer);
  if (gap.oldFrom === gap.oldTo || gap.newFrom === gap.newTo) return [];
  const lineCount = gap.oldTo - gap.oldFrom + gap.newTo - gap.newFrom;
  if (lineCount > search.effort.lineVisits) return [];
  search.effort.lineVisits -= lineCount;
  const oldIndexes = findSharedIndexes(
    search,
    search.old.subarray(0, gap.oldTo),
    gap.oldFrom,
    search.new.subarray(gap.newFrom, gap.newTo),
  );
  const newIndexes = findSharedIndexes(
    search,
    search.new.subarray(0, gap.newTo),
    gap.newFrom,
    search.old.subarray(gap.oldFrom, gap.oldTo),
  );
  if (oldIndexes.length === 0 || newIndexes.length === 0) return [];
  if (diffExactly(search, oldIndexes, newIndexes, MAX_EDITS)) return [];
  const parts = gap.depth === MAX_DEPTH ? [] : divideGap(search, gap, oldIndexes, newIndexes);
  // Without anchors, this gap can use all remaining steps.
  if (parts.length === 0) diffExactly(search, oldIndexes, newIndexes, Number.POSITIVE_INFINITY);
  return parts;
}

/** Pairs the lines that both sides of a gap start and end with. */
function trimGap({ old, new: newLines, pairs }: DiffSearch, gap: Gap): Gap {
  const { oldFrom, oldTo, newFrom, newTo, depth } = gap;
  const { head, tail } = countCommonLines(old.subarray(oldFrom, oldTo), newLines.subarray(newFrom, newTo));
  for (let index = 0; index < head; index += 1) pairs[oldFrom + index] = newFrom + index;
  for (let back = 1; back <= tail; back += 1) pairs[oldTo - back] = newTo - back;
  return { oldFrom: oldFrom + head, oldTo: oldTo - tail, newFrom: newFrom + head, newTo: newTo - tail, depth };
}

/** The indexes, from `from` on, of lines that the other side has too. No other line can be paired. */
function findSharedIndexes(
  { marks }: DiffSearch,
  lines: Int32Array,
  from: number,
  others: Int32Array,
): readonly number[] {
  for (let index = 0; index < others.length; index += 1) marks[others[index] ?? 0] = 1;
  const shared: number[] = [];
  for (let index = from; index < lines.length; index += 1) if (marks[lines[index] ?? 0] === 1) shared.push(index);
  for (let index = 0; index < others.length; index += 1) marks[others[index] ?? 0] = 0;
  return shared;
}

/** Pairs as many lines as possible. Returns false if that takes more than the limits. */
function diffExactly(
  search: DiffSearch,
  oldIndexes: readonly number[],
  newIndexes: readonly number[],
  maxEdits: number,
): boolean {
  const { old, new: newLines, pairs } = search;
  const lineCount = oldIndexes.length + newIndexes.length;
  const lineLimit = Math.floor(MAX_EDITS_TIMES_LINES / lineCount);
  const editLimit = Math.min(maxEdits, Math.floor(Math.sqrt(search.effort.editSteps)), lineCount, lineLimit);
  const parts = diffArrays(
    oldIndexes.map((index) => old[index]),
    newIndexes.map((index) => newLines[index]),
    { maxEditLength: editLimit },
  );
  if (parts === undefined) {
    search.effort.editSteps -= editLimit * editLimit;
    return false;
  }
  let [at, other, edits] = [0, 0, 0];
  for (const { added, removed, count } of parts) {
    const paired = !added && !removed;
    for (let step = 0; paired && step < count; step += 1)
      pairs[oldIndexes[at + step] ?? 0] = newIndexes[other + step] ?? 0;
    if (!paired) edits += count;
    if (!added) at += count;
    if (!removed) other += count;
  }
  search.effort.editSteps -= edits * edits;
  return true;
}

/** Pairs the anchors and returns the gaps between them. */
function divideGap(
  { old, new: newLines, pairs, counts }: DiffSearch,
  gap: Gap,
  oldIndexes: readonly number[],
  newIndexes: readonly number[],
): Gap[] {
  const gaps: Gap[] = [];
  let { oldFrom, newFrom } = gap;
  const depth = gap.depth + 1;
  const anchors = findAnchors({ old, oldIndexes, new: newLines, newIndexes, counts });
  if (anchors.length === 0) return [];
  for (const [oldIndex, newIndex] of anchors) {
    pairs[oldIndex] = newIndex;
    gaps.push({ oldFrom, oldTo: oldIndex, newFrom, newTo: newIndex, depth });
    oldFrom = oldIndex + 1;
    newFrom = newIndex + 1;
  }
  gaps.push({ oldFrom, oldTo: gap.oldTo, newFrom, newTo: gap.newTo, depth });
  return gaps;
}
