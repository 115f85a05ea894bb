import { asItIs, folded } from './folded.ts';
import { type LineTable, lineIndexAt } from './line-table.ts';
import { withoutCarriageReturns } from './lines.ts';
import { STOP, searchText } from './occurrences.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** Where a sought text stands: offsets into the file's own text, which never split a CRLF. */
export type Match = { readonly start: number; readonly end: number };

/**
 * The first `most` places where `sought` stands in `text`, overlapping ones included, in order.
 * CRLF and LF are the same and a byte order mark is not there; nothing else is folded.
 */
export function findMatches(text: string, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  eachMatch(text, sought, (match) => (matches.push(match) < most ? 'next' : 'none'));
  return matches;
}

/** How often `sought` stands in `text`, overlapping places included; one more than `most` where it is more often than that. */
export function countMatches(text: string, sought: string, most: number): number {
  let count = 0;
  eachMatch(text, sought, () => {
    count += 1;
    return count <= most ? 'next' : 'none';
  });
  return count;
}

/** The first `most` matches that a replacement from left to right meets, each beginning where the one before it has ended or later. */
export function matchesApart(text: string, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  eachMatch(text, sought, (match) => (matches.push(match) < most ? 'next-apart' : 'none'));
  return matches;
}

/** The 1-based line on which a match begins. */
export function matchLine(lines: LineTable, { start }: Match): number {
  return lineIndexAt(lines, start) + 1;
}

/** Which match is asked for after this one: the next, the next that begins no earlier than where this one ends, or none. */
type Wanted = 'next' | 'next-apart' | 'none';

function eachMatch(text: string, sought: string, take: (match: Match) => Wanted): void {
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const atStart = shift === 1 && sought.startsWith(BYTE_ORDER_MARK);
  const wanted = withoutCarriageReturns(atStart ? sought.slice(1) : sought);
  const body = shift === 1 ? text.slice(1) : text;
  const within = /[\r\n]/.test(wanted) ? folded(body) : asItIs(body);
  searchText(within.text, wanted, (offset) => {
    if (atStart && offset > 0) return STOP;
    const behind = offset + wanted.length;
    const next = take({ start: within.unfold(offset) + shift, end: within.unfold(behind) + shift });
    return next === 'none' ? STOP : next === 'next' ? offset + 1 : behind;
  });
}
