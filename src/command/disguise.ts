import { firstWord } from './arguments.ts';
import { commandRow, isPlanned } from './table.ts';

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u00A0\uFFFD]/gu;
const LIKE_SLASH = /^[\u2044\u2215\u2571\u27CB\u29F8\uFF0F]/u;
const LONGEST = 60;

/**
 * The command's word that a line only seems to begin with: hidden characters in it, or a character that looks like the
 * slash. It decides nothing, and taken for plain words it would be an instruction; so it is told apart.
 */
export function disguisedWord(line: string): string | null {
  const { word } = firstWord(line.slice(0, LONGEST));
  const seen = word.replace(UNSEEN, '').replace(LIKE_SLASH, '/');
  if (seen === word || !seen.startsWith('/')) return null;
  const name = seen.slice(1);
  return commandRow(name) !== null || isPlanned(name) ? name : null;
}
