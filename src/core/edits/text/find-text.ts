import type { SecretRange } from '../../../lib/credentials.ts';
import { overlapsSecret } from '../../../lib/redaction.ts';
import { asNormalized, BYTE_ORDER_MARK, type NormalizedText, normalizeLineEndings } from './characters.ts';
import { type LineTable, lineIndexAt } from './line-table.ts';
import { crLfToLf } from './lines.ts';
import { forEachOccurrence, STOP_SEARCH } from './occurrences.ts';

/** Where a needle was found: offsets in the original text, which never split a CRLF. */
export type TextMatch = { readonly start: number; readonly end: number };

/**
 * A text for repeated searches. Its line endings are normalized at most once, and only if a needle has line breaks.
 * Nothing is found in or across its secrets.
 */
export type SearchableText = {
  readonly text: string;
  readonly secrets: readonly SecretRange[];
  readonly normalized: () => NormalizedText;
};

export function createSearchableText(text: string, secrets: readonly SecretRange[] = []): SearchableText {
  let cached: NormalizedText | null = null;
  return {
    text,
    secrets,
    normalized: () => {
      cached ??= normalizeLineEndings(withoutByteOrderMark(text));
      return cached;
    },
  };
}

/**
 * The first `max` matches in order, including overlapping ones. CRLF equals LF, and a byte order mark is ignored;
 * everything else must be identical.
 */
export function findMatches(text: SearchableText, needle: string, max: number): TextMatch[] {
  const matches: TextMatch[] = [];
  forEachMatch(text, needle, (match) => (matches.push(match()) < max ? 'next' : 'stop'));
  return matches;
}

/** The first matches, and the number of all matches. */
export type CountedMatches = { readonly matches: readonly TextMatch[]; readonly count: number };

/** Lists the first `maxListed` matches and counts all, including overlapping ones. Counting stops at `max + 1`. */
export function countMatches(text: SearchableText, needle: string, maxListed: number, max: number): CountedMatches {
  const matches: TextMatch[] = [];
  let count = 0;
  forEachMatch(text, needle, (match) => {
    count += 1;
    if (count <= maxListed) matches.push(match());
    return count <= max ? 'next' : 'stop';
  });
  return { matches, count };
}

/** The first `max` matches that a replacement from left to right meets. */
export function findNonOverlappingMatches(text: SearchableText, needle: string, max: number): TextMatch[] {
  const matches: TextMatch[] = [];
  forEachMatch(text, needle, (match) => (matches.push(match()) < max ? 'next-non-overlapping' : 'stop'));
  return matches;
}

/** The 1-based line on which a match begins. */
export function lineOfMatch(lines: LineTable, { start }: TextMatch): number {
  return lineIndexAt(lines, start) + 1;
}

/** Which match to visit next, if any. */
type NextMatch = 'next' | 'next-non-overlapping' | 'stop';

function forEachMatch(
  { text, secrets, normalized }: SearchableText,
  needle: string,
  visit: (match: () => TextMatch) => NextMatch,
): void {
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const atStart = shift === 1 && needle.startsWith(BYTE_ORDER_MARK);
  const normalizedNeedle = crLfToLf(atStart ? needle.slice(1) : needle);
  const touchesSecret = ({ start, end }: TextMatch): boolean => overlapsSecret(secrets, start, end);
  const haystack = /[\r\n]/.test(normalizedNeedle) ? normalized() : asNormalized(withoutByteOrderMark(text));
  forEachOccurrence(haystack.text, normalizedNeedle, (offset) => {
    if (atStart && offset > 0) return STOP_SEARCH;
    const matchEnd = offset + normalizedNeedle.length;
    const match = (): TextMatch => ({
      start: haystack.originalOffset(offset) + shift,
      end: haystack.originalOffset(matchEnd) + shift,
    });
    if (secrets.length > 0 && touchesSecret(match())) return offset + 1;
    const next = visit(match);
    return next === 'stop' ? STOP_SEARCH : next === 'next' ? offset + 1 : matchEnd;
  });
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
