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

/** The first items as texts, and the number of the others, as in `3 more` or `and 3 more`. */
export function firstOf<Item>(
  items: readonly Item[],
  max: number,
  toText: (item: Item) => string,
  beforeNumber = '',
): readonly string[] {
  const others = items.length - max;
  return [...items.slice(0, max).map(toText), ...(others > 0 ? [`${beforeNumber}${others} more`] : [])];
}

/** At most so many characters: a longer text is cut between two words, and a word of more than 30 within. */
export function cutAtWord(text: string, maxCharacters: number): string {
  const characters = [...text];
  if (characters.length <= maxCharacters) return text;
  const kept = characters.slice(0, maxCharacters - 1);
  const space = kept.findLastIndex((one) => /\s/u.test(one));
  const words = space === -1 || kept.length - space > 31 ? kept : kept.slice(0, space);
  const end = words.findLastIndex((one) => !/[\s,;:.]/u.test(one)) + 1;
  return `${words.slice(0, end).join('')}…`;
}

/** A path of at most this many characters: the end of a long path is kept, because it says more than the start. */
export function shortenPath(path: string, maxCharacters: number): string {
  const characters = [...path];
  return characters.length <= maxCharacters ? path : `…${characters.slice(-maxCharacters).join('')}`;
}

/** Text for the inside of an element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
