/** Where the repository's pages are: `https://github.com/ana/shop`, without a slash at the end. */
export type RepoLinks = { readonly repository: string };

/** `1 line`, `3 lines`, `1,200 lines`. */
export function count(amount: number, noun: string): string {
  return `${thousands(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** `1 more person has`, `2 more people have`. */
export function people(amount: number, which: string, one: string, several: string): string {
  return amount === 1 ? `1 ${which} person ${one}` : `${amount} ${which} people ${several}`;
}

/** `2030-01-31 12:00 UTC`, of a time in ISO 8601. */
export function timeWords(time: string): string {
  const utc = new Date(time).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC`;
}

/** `12,345`. */
export function thousands(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** The first characters of a commit or blob SHA, as GitHub shows them. */
export function sha7(sha: string): string {
  return sha.slice(0, 7);
}

function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()).replace(/[!'()*]/g, percent))
    .join('/');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Address of a file as it stands in a commit, with the lines marked where they are known (1-based, inclusive). */
export function fileLink(
  links: RepoLinks,
  sha: string,
  path: string,
  lines: { readonly first: number; readonly last: number } | null = null,
): string {
  const anchor =
    lines === null ? '' : lines.first === lines.last ? `#L${lines.first}` : `#L${lines.first}-L${lines.last}`;
  return `${links.repository}/blob/${sha}/${encodePath(path)}${anchor}`;
}

/** Address of a commit. */
export function commitLink(links: RepoLinks, sha: string): string {
  return `${links.repository}/commit/${sha}`;
}
