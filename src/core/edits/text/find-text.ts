import type { SecretRange } from '../../../lib/credentials.ts';
import { overlapsSecret } from '../../../lib/redaction.ts';
import { asNormalized, BYTE_ORDER_MARK, normalizeLineEndings } from './characters.ts';
import { type LineTable, lineIndexAt } from './line-table.ts';
import { crLfToLf } from './lines.ts';
import { forEachOccurrence, STOP_SEARCH } from './occurrences.ts';

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

/** The 1-based line on which a match begins. */
export function lineOfMatch(lines: LineTable, { start }: TextMatch): number {
  return lineIndexAt(lines, start) + 1;
}
