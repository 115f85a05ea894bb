/** What parts words for the eye but is neither a space nor a tab, as the inside of a class in a `u` expression. */
export const OTHER_BLANK = '\\p{Z}\\u000B\\u000C\\u0085\\u115F\\u1160\\u2800\\u3164\\uFFA0';

/**
 * A line without spaces and tabs at its ends. `trim` takes more: a character that nobody sees would vanish from a
 * command, and the command would count.
 */
export function trimBlanks(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && isBlank(line[start])) start += 1;
  while (end > start && isBlank(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
