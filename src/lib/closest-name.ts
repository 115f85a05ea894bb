import { closest, distance } from 'fastest-levenshtein';

/** The name closest to a mistyped word; null if none is within two edits. */
export function closestName(word: string, names: readonly string[]): string | null {
  const start = word.slice(0, 40);
  const nearest = closest(start, names);
  return distance(start, nearest) <= 2 ? nearest : null;
}

/** Whether two different words are one edit apart: a character added, missing or replaced, or two neighbors swapped. */
export function isWithinOneEdit(one: string, other: string): boolean {
  // Compares lengths first: the input may be long, and the distance takes time in the product of both lengths.
  if (Math.abs(one.length - other.length) > 1) return false;
  return distance(one, other) === 1 || isTransposed(one, other);
}

function isTransposed(one: string, other: string): boolean {
  const at = one.split('').findIndex((character, index) => character !== other[index]);
  return at >= 0 && one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2) === other;
}
