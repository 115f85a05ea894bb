import type { SecretRange } from '../../../lib/credentials.ts';
import { overlapsSecret } from '../../../lib/redaction.ts';
import { asNormalized, BYTE_ORDER_MARK, normalizeLineEndings } from './characters.ts';
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
