import { codePointName } from './unicode.ts';

/** Text of a file that people would read as the needle, or that the needle writes with escapes. */
type AlikeText = {
  /** Its offset in the file. */
  readonly start: number;
  readonly text: string;
  /** What differs first, as a sentence. */
  readonly difference: string;
};

/**
 * Finds the first text that differs from a needle, which is not in the file, only in white space, Unicode form,
 * characters that nobody sees, kinds of quotes and dashes, or escapes. It is shown, never applied. Linear time.
 */
export function findAlikeText(text: string, needle: string): AlikeText | null {
  const read = readAsPeople(text);
  for (const form of [needle, withoutEscapes(needle), withEscapes(needle)]) {
    const wanted = readAsPeople(form).text;
    const at = wanted.length < MIN_CHARACTERS ? -1 : read.text.indexOf(wanted);
    if (at === -1) continue;
    const first = read.starts[at] ?? 0;
    const last = read.ends[at + wanted.length - 1] ?? first;
    const start = /^\s/.test(needle) ? first - spaceBefore(text, first) : first;
    const end = /\s$/.test(needle) ? last + spaceAfter(text, last) : last;
    const found = text.slice(start, end);
    return { start, text: found, difference: describeDifference(found, needle) };
  }
  return null;
}

/** Shorter texts are alike in too many places. */
const MIN_CHARACTERS = 2;

/** What people see of a text, and where the character behind each of its units starts and ends. */
type ReadText = { readonly text: string; readonly starts: readonly number[]; readonly ends: readonly number[] };

function readAsPeople(text: string): ReadText {
  const [pieces, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    const seen = readCharacter(character);
    for (let unit = 0; unit < seen.length; unit += 1) {
      starts.push(index);
      ends.push(index + character.length);
    }
    pieces.push(seen);
  }
  return { text: pieces.join(''), starts, ends };
}

/** A character with its marks. */
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gu;

/** Without white space and what nobody sees; of quotes and dashes, the kind on a keyboard. */
function readCharacter(character: string): string {
  if (/^[!-~]$/.test(character)) return character;
  return character
    .replace(/[‘’‚‛′ʼ]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

const ESCAPE = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|([nrt"'`\\]))/giu;

const ESCAPED_LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The text that a needle means if it writes characters out, as in `\n` or `\u{200B}`. */
function withoutEscapes(needle: string): string {
  return needle.replace(ESCAPE, (whole, hex?: string, unit?: string, letter?: string) => {
    if (letter !== undefined) return ESCAPED_LETTERS[letter] ?? letter;
    const codePoint = Number.parseInt(hex ?? unit ?? '', 16);
    return codePoint > 0x10ffff ? whole : String.fromCodePoint(codePoint);
  });
}

/** The text that a needle means if its line ends and tabs are written out in the file. */
function withEscapes(needle: string): string {
  return needle.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function spaceBefore(text: string, offset: number): number {
  let length = 0;
  while (/^[^\S\n]$/.test(text.charAt(offset - length - 1))) length += 1;
  return length;
}

function spaceAfter(text: string, offset: number): number {
  return /^[^\S\n]*\n?/.exec(text.slice(offset, offset + MAX_SPACE))?.[0].length ?? 0;
}

const MAX_SPACE = 200;

function describeDifference(found: string, needle: string): string {
  const [seen, wanted] = [found, needle].map((text) => text.replace(/\s+/gu, ''));
  if (seen === undefined || wanted === undefined || seen === wanted) return 'It differs only in white space.';
  const isEscaped = withoutEscapes(needle) !== needle || withEscapes(needle) !== needle;
  const [inFile, inNeedle] = isEscaped ? firstDifference(found, needle) : firstDifference(seen, wanted);
  return `The first difference: ${nameCharacters(inFile)} in the file, ${nameCharacters(inNeedle)} in old_string.`;
}

/** The characters or escapes at the first place where two texts differ. */
function firstDifference(left: string, right: string): readonly [string, string] {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const isInside = () => [left, right].some((text) => /^[\p{M}\uDC00-\uDFFF]/u.test(text.slice(at, at + 2)));
  while (at > 0 && isInside()) at -= 1;
  const partAt = (text: string): string => PART.exec(text.slice(at, at + MAX_SPACE))?.[0] ?? '';
  return [partAt(left), partAt(right)];
}

const PART = new RegExp(`^(?:${ESCAPE.source}|${CHARACTER.source})`, 'iu');

/** For example `U+0065 U+0301 (é)`. */
function nameCharacters(text: string): string {
  if (text === '') return 'nothing';
  const names = [...text].map(codePointName).join(' ');
  return /^[\p{L}\p{M}\p{P}\p{S}\w]+$/u.test(text) ? `${names} (${text})` : names;
}
