import { overlapsSecret, type SecretRange } from '../../../lib/credentials.ts';
import { asNormalized, BYTE_ORDER_MARK, codePointName, normalizeLineEndings } from './characters.ts';
import { crLfToLf, splitLines, withoutLineEnding } from './lines.ts';

/** Where a needle was found: offsets in the original text, which never split a CRLF. */
export type TextMatch = { readonly start: number; readonly end: number };

/**
 * The matches in order: all, or only the separate ones that a replacement from left to right meets. CRLF equals LF, and
 * a byte order mark is ignored; everything else must be identical. Nothing is found in or across a secret.
 */
export function findMatches(
  text: string,
  needle: string,
  which: 'all' | 'separate',
  secrets: readonly SecretRange[] = [],
): readonly TextMatch[] {
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const atStart = shift === 1 && needle.startsWith(BYTE_ORDER_MARK);
  const searched = crLfToLf(atStart ? needle.slice(1) : needle);
  const haystack = (/[\r\n]/.test(searched) ? normalizeLineEndings : asNormalized)(text.slice(shift));
  const matches: TextMatch[] = [];
  forEachOccurrence(haystack.text, searched, (offset) => {
    if (atStart && offset > 0) return STOP_SEARCH;
    const end = offset + searched.length;
    const match = { start: haystack.originalOffset(offset) + shift, end: haystack.originalOffset(end) + shift };
    if (overlapsSecret(secrets, match.start, match.end)) return offset + 1;
    matches.push(match);
    return which === 'all' ? offset + 1 : end;
  });
  return matches;
}

/** Receives the offset of an occurrence and returns the offset at which to search on, or `STOP_SEARCH`. */
type VisitOccurrence = (offset: number) => number;

export const STOP_SEARCH = Number.POSITIVE_INFINITY;

/** The engine's `indexOf` is fastest, and quadratic at worst: only so many characters are left to it. */
const MAX_SHORT_NEEDLE = 32;

/** Visits every occurrence of a needle in order, including overlapping ones. An empty needle has none. Linear time. */
export function forEachOccurrence(text: string, needle: string, visit: VisitOccurrence): void {
  if (needle === '') return;
  if (needle.length > MAX_SHORT_NEEDLE) {
    const first = text.indexOf(needle.slice(0, MAX_SHORT_NEEDLE));
    if (first !== -1) searchLongNeedle(text, needle, first, visit);
    return;
  }
  for (let at = text.indexOf(needle); at !== -1; ) {
    const next = visit(at);
    at = next === STOP_SEARCH ? -1 : text.indexOf(needle, next);
  }
}

/** The search of Knuth, Morris and Pratt, from an offset on. */
function searchLongNeedle(text: string, needle: string, from: number, visit: VisitOccurrence): void {
  const borders = bordersOf(needle);
  let [matched, next] = [0, from];
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched < needle.length) continue;
    const offset = at + 1 - matched;
    if (offset >= next) next = visit(offset);
    if (next === STOP_SEARCH) return;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each start of the needle the length of its longest border: a shorter start that it also ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (matched > 0 && needle.charCodeAt(matched) !== needle.charCodeAt(at)) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === needle.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}

/** Similar text in a file. The model is shown it, but it is never applied. `line` is 1-based. */
export type NearMatch = { readonly text: string; readonly line: number; readonly similarity: number };

const MIN_SIMILARITY = 0.6;

const MAX_NEAR_MATCHES = 3;

/** Windows to compare in full; a few anchor lines choose them. */
const MAX_CANDIDATES = 24;

/** The longest lines of the needle to look for: a single one might occur everywhere. */
const MAX_ANCHOR_LINES = 3;

/** Longer lines and windows are compared by their first characters only. */
const MAX_COMPARED_LENGTH = 2000;

/**
 * Up to three similar places without overlap, best first. Compares texts as they are and with white space collapsed.
 * Linear in the file except for a fixed number of windows.
 */
export function findNearMatches(text: string, needle: string): NearMatch[] {
  const [lines, needleLines] = [text, needle].map((all) => splitLines(all).map(withoutLineEnding));
  if (lines === undefined || needleLines === undefined) return [];
  const count = needleLines.length;
  const score = createWindowScore(needleLines.join('\n'));
  const near = chooseWindows(lines, needleLines).map((start): NearMatch => {
    const window = lines.slice(start, start + count).join('\n');
    return { text: window.slice(0, MAX_COMPARED_LENGTH), line: start + 1, similarity: score(window) };
  });
  const best: NearMatch[] = [];
  for (const match of near.sort((left, right) => right.similarity - left.similarity || left.line - right.line)) {
    const isFar = best.every(({ line }) => Math.abs(line - match.line) >= count);
    if (match.similarity >= MIN_SIMILARITY && isFar) best.push(match);
  }
  return best.slice(0, MAX_NEAR_MATCHES);
}

/** The lines at which windows begin whose lines most resemble the longest ones of the needle. */
function chooseWindows(lines: readonly string[], needleLines: readonly string[]): readonly number[] {
  const anchors = needleLines
    .map((line, index) => ({ index, line: collapse(line) }))
    .toSorted((left, right) => right.line.length - left.line.length)
    .slice(0, MAX_ANCHOR_LINES)
    .map(({ index, line }) => ({ index, length: line.length, similarity: createSimilarity(line) }));
  const scores = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    const short = collapse(line);
    for (const { index, length, similarity } of anchors) {
      if (Math.min(length, short.length) * 4 < Math.max(length, short.length)) continue;
      const start = Math.max(0, at - index);
      scores.set(start, (scores.get(start) ?? 0) + similarity(short) * length);
    }
  }
  const sorted = [...scores].filter(([, score]) => score > 0).sort((left, right) => right[1] - left[1]);
  return sorted.slice(0, MAX_CANDIDATES).map(([start]) => start);
}

function collapse(line: string): string {
  return line.slice(0, MAX_COMPARED_LENGTH).trim().replace(/\s+/g, ' ');
}

function createWindowScore(needle: string): (window: string) => number {
  const plain = createSimilarity(needle.slice(0, MAX_COMPARED_LENGTH));
  const collapsed = createSimilarity(collapse(needle));
  return (window) => Math.max(plain(window.slice(0, MAX_COMPARED_LENGTH)), collapsed(collapse(window)));
}

/**
 * The similarity of texts to a fixed one, from 0 to 1: the share of common pairs of neighboring characters (Dice). The
 * fixed pairs are counted once, so each comparison is linear.
 */
export function createSimilarity(text: string): (other: string) => number {
  const pairs = new Map<number, number>();
  for (let at = 1; at < text.length; at += 1) pairs.set(pairAt(text, at), (pairs.get(pairAt(text, at)) ?? 0) + 1);
  return (other) => {
    if (other === text) return 1;
    if (text.length < 2 || other.length < 2) return 0;
    const left = new Map(pairs);
    let shared = 0;
    for (let at = 1; at < other.length; at += 1) {
      const pair = pairAt(other, at);
      const count = left.get(pair) ?? 0;
      if (count === 0) continue;
      left.set(pair, count - 1);
      shared += 1;
    }
    return (2 * shared) / (text.length + other.length - 2);
  };
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at - 1) * 0x10000 + text.charCodeAt(at);
}

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
