import type { SecretRange } from '../../../lib/credentials.ts';
import { overlapsSecret } from '../../../lib/redaction.ts';
import { asNormalized, BYTE_ORDER_MARK, normalizeLineEndings } from './characters.ts';
import { crLfToLf } from './lines.ts';

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
