/**
 * The lines of two versions as numbers from 0, equal where the lines are. Of each number: how many letters its line has,
 * and how many times more it stands in the old version than in the new one (negative: fewer).
 */
export type NumberedLines = {
  readonly old: Int32Array;
  readonly fresh: Int32Array;
  readonly lengths: readonly number[];
  readonly surplus: readonly number[];
};

/** Numbers the lines of two versions, by which all else compares them. */
export function numberLines(old: readonly string[], fresh: readonly string[]): NumberedLines {
  const numbering: Numbering = { numbers: new Map(), firstAt: [], lengths: [], surplus: [] };
  const { firstAt, lengths, surplus } = numbering;
  const numbers: NumberedLines = {
    old: new Int32Array(old.length),
    fresh: new Int32Array(fresh.length),
    lengths,
    surplus,
  };
  for (let index = 0; index < old.length; index += 1) {
    const number = numberOf(old[index] ?? '', numbering, index);
    numbers.old[index] = number;
    surplus[number] = (surplus[number] ?? 0) + 1;
  }
  // Most lines stand as far from their old place as the line before: to compare is much quicker than to look up.
  let shift = 0;
  for (let index = 0; index < fresh.length; index += 1) {
    const line = fresh[index] ?? '';
    const same = line === old[index + shift];
    const number = same ? (numbers.old[index + shift] ?? 0) : numberOf(line, numbering, NOWHERE);
    const first = firstAt[number] ?? NOWHERE;
    if (!same && first !== NOWHERE) shift = first - index;
    numbers.fresh[index] = number;
    surplus[number] = (surplus[number] ?? 0) - 1;
  }
  return numbers;
}

const NOWHERE = -1;

/**
 * The fewest letters that any diff of the two has, its context and headers apart: a line that one side has more often is
 * shown at least so many times more, with its mark, however the others are paired.
 */
export function leastLetters({ lengths, surplus }: NumberedLines): number {
  let letters = 0;
  for (let number = 0; number < lengths.length; number += 1) {
    letters += Math.abs(surplus[number] ?? 0) * ((lengths[number] ?? 0) + 1);
  }
  return letters;
}

type Numbering = {
  readonly numbers: Map<string, number>;
  /** By number: where the line stands first in the old version. */
  readonly firstAt: number[];
  readonly lengths: number[];
  readonly surplus: number[];
};

function numberOf(line: string, { numbers, firstAt, lengths }: Numbering, at: number): number {
  const known = numbers.get(line);
  if (known !== undefined) return known;
  const number = lengths.push(line.length) - 1;
  firstAt.push(at);
  numbers.set(line, number);
  return number;
}
