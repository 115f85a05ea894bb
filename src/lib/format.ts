import { closest, distance } from 'fastest-levenshtein';

/** The address of the repository's pages, such as `https://github.com/ana/shop`. */
export type RepoLinks = { readonly repository: string };

/** The abbreviated SHA, as GitHub shows it. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

export function commitUrl(links: RepoLinks, sha: string): string {
  return `${links.repository}/commit/${sha}`;
}

/** `1 line`, `3 lines`, `1,200 lines`. */
export function pluralize(amount: number, noun: string): string {
  return `${formatNumber(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** `12,345`. */
export function formatNumber(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `a`, `a and b`, `a, b and c`. */
export function formatList(items: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

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
