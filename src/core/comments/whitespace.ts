/**
 * Unicode characters that look like a space but are neither a space nor a tab, written as the inside of a character
 * class of a `u` expression.
 */
export const UNICODE_SPACES = '\\p{Z}\\u000B\\u000C\\u0085\\u115F\\u1160\\u2800\\u3164\\uFFA0';

/**
 * A line without spaces and tabs at its ends. `trim` would also remove invisible characters, so that a command with
 * one of them would count.
 */
export function trimSpacesAndTabs(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && isSpaceOrTab(line[start])) start += 1;
  while (end > start && isSpaceOrTab(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

function isSpaceOrTab(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
