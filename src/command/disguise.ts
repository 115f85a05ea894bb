import { firstWord } from './arguments.ts';
import { OTHER_BLANK } from './blanks.ts';
import { commandRow, isPlanned } from './table.ts';

const BLANKS = new RegExp(`[${OTHER_BLANK}]`, 'u');
const UNSEEN = new RegExp(`[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\uFFFD${OTHER_BLANK}]`, 'gu');
const LIKE_SLASH = /^[\u2044\u2215\u2571\u27CB\u29F8\uFF0F]/u;
const LONGEST = 60;

/**
 * The command's word that a line only seems to begin with: hidden characters in it, another blank than a space behind
 * it, or a character that looks like the slash. It decides nothing, and taken for plain words it would be an
 * instruction; so it is told apart.
 */
export function disguisedWord(line: string): string | null {
  const { word } = firstWord(line.slice(0, LONGEST));
  const parts = word.split(BLANKS).map((part) => part.replace(UNSEEN, ''));
  const seen = [word.replace(UNSEEN, ''), parts.find((part) => part !== '') ?? '', ...word.split(UNSEEN).slice(0, 1)];
  for (const one of seen) {
    const slashed = one.replace(LIKE_SLASH, '/');
    const name = slashed.slice(1);
    if (slashed !== word && slashed.startsWith('/') && (commandRow(name) !== null || isPlanned(name))) return name;
  }
  return null;
}
