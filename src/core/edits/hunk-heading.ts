import { CONTEXT_LINES } from './region.ts';
import type { LineTable } from './text/line-table.ts';

/** Characters of a heading that are kept. Git keeps 80 bytes. */
const MAX_HEADING_CHARACTERS = 80;

/** Git's default rule: the line begins with an ASCII letter, `_` or `$`. */
const HEADING_START = /[A-Za-z_$]/;

/**
 * The heading that git shows after `@@` for a hunk: the last line above its context that looks like the start of a
 * function or section. Null if there is none. `index` is the 0-based index of the first changed line.
 */
export function findHunkHeading(lines: LineTable, index: number): string | null {
  const { text } = lines;
  let end = lines.offsetAt(Math.max(0, index - CONTEXT_LINES));
  while (end > 0) {
    const start = end === 1 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
    if (HEADING_START.test(text.charAt(start))) return shortenHeading(text.slice(start, end));
    end = start;
  }
  return null;
}

/** The line can be as long as the file. A character takes at most two code units. */
function shortenHeading(line: string): string {
  const characters = [...line.slice(0, 2 * MAX_HEADING_CHARACTERS + 2).trimEnd()];
  if (characters.length <= MAX_HEADING_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MAX_HEADING_CHARACTERS).join('').trimEnd()}…`;
}
