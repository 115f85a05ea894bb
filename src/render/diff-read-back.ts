/** Where a line is shown with CR LF left out, the page says so once. */
const COMMON_RETURNS = 'All lines end with CR LF.';

/**
 * Whether lines that were read back from a page say exactly what a stored diff says: each character stands for itself,
 * or as `\u{…}` where it could not be seen. Linear.
 */
export function sameAsStored(shown: readonly string[], diff: string, page: string): boolean {
  const stored = diff.replace(/\n$/, '').split('\n');
  const bare = page.includes(COMMON_RETURNS) && stored.slice(HEADER_ROWS).every(isHunkOrReturns);
  if (shown.length !== stored.length) return false;
  return shown.every((line, index) => saysLine(line, stored[index] ?? '', bare));
}

/** The names of both versions; what stands below them are hunks, whatever it looks like. */
const HEADER_ROWS = 2;

function isHunkOrReturns(row: string): boolean {
  return row.startsWith('@@ ') || row.endsWith('\r');
}

function saysLine(shown: string, stored: string, bare: boolean): boolean {
  if (bare && stored.endsWith('\r') && saysExactly(shown, stored.slice(0, -1))) return true;
  return saysExactly(shown, stored);
}

function saysExactly(shown: string, stored: string): boolean {
  if (shown === stored) return true;
  let at = 0;
  for (const character of stored) {
    if (shown.startsWith(character, at)) {
      at += character.length;
      continue;
    }
    const escaped = `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`;
    if (!shown.startsWith(escaped, at)) return false;
    at += escaped.length;
  }
  return at === shown.length;
}
