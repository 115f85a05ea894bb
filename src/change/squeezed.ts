import type { Letters } from './letters.ts';

/** By letter: 1 for those that a pattern's `\s` means and `trim` takes away. */
const BLANKS = new Uint8Array(0x10000);
for (const blank of '\t\n\v\f\r \u{A0}\u{1680}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}')
  BLANKS[blank.charCodeAt(0)] = 1;
BLANKS.fill(1, 0x2000, 0x200b);

/** Whether a letter, by its number, is white space. */
export function isBlank(letter: number): boolean {
  return BLANKS[letter] === 1;
}

/** Offsets of a stretch of letters without the white space that it begins and ends with; both the end's where there is nothing else. */
export function trimmed(letters: Letters, from: number, to: number): readonly [from: number, to: number] {
  let [start, end] = [from, to];
  while (start < end && isBlank(letters[start] ?? 0)) start += 1;
  while (end > start && isBlank(letters[end - 1] ?? 0)) end -= 1;
  return [start, end];
}

/** Writes a stretch of letters with each run of white space as one blank, and none around it; says how many letters that has. */
export function squeeze(letters: Letters, from: number, to: number, into: Uint16Array): number {
  const [start, end] = trimmed(letters, from, to);
  let length = 0;
  let blank = false;
  for (let at = start; at < end; at += 1) {
    const letter = letters[at] ?? 0;
    const again = isBlank(letter);
    if (again && blank) continue;
    into[length] = again ? BLANK : letter;
    length += 1;
    blank = again;
  }
  return length;
}

const BLANK = 32;
