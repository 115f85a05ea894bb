import { type LineTable, lineIndexAt } from './line-table.ts';
import { withoutCarriageReturns } from './lines.ts';
import { searchText } from './occurrences.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** Where a sought text stands: offsets into the file's own text, which never split a CRLF. */
export type Match = { readonly start: number; readonly end: number };

/**
 * The first `most` places where `sought` stands in `text`, overlapping ones included, in order.
 * CRLF and LF are the same and a byte order mark is not there; nothing else is folded.
 */
export function findMatches(text: string, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  eachMatch(text, sought, (start, end) => matches.push({ start, end }) < most);
  return matches;
}

/** How often `sought` stands in `text`, overlapping places included; one more than `most` where it is more often than that. */
export function countMatches(text: string, sought: string, most: number): number {
  let count = 0;
  eachMatch(text, sought, () => {
    count += 1;
    return count <= most;
  });
  return count;
}

/** The first `most` matches that a replacement from left to right meets, each beginning where the one before it has ended or later. */
export function matchesApart(text: string, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  let end = 0;
  eachMatch(text, sought, (start, stop) => {
    if (start < end) return true;
    end = stop;
    return matches.push({ start, end }) < most;
  });
  return matches;
}

/** The 1-based line on which a match begins. */
export function matchLine(lines: LineTable, { start }: Match): number {
  return lineIndexAt(lines, start) + 1;
}

/** Is told where a match begins and ends; says whether the search goes on. */
type Take = (start: number, end: number) => boolean;

function eachMatch(text: string, sought: string, take: Take): void {
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const atStart = shift === 1 && sought.startsWith(BYTE_ORDER_MARK);
  const body = shift === 1 ? text.slice(1) : text;
  const wanted = withoutCarriageReturns(atStart ? sought.slice(1) : sought);
  const folded = /[\r\n]/.test(wanted) ? withoutCarriageReturns(body) : body;
  const same = folded.length === body.length;
  const [startOf, endOf] = same ? [unchanged, unchanged] : [unfolding(body), unfolding(body)];
  searchText(folded, wanted, (offset) => {
    if (atStart && offset > 0) return false;
    return take(startOf(offset) + shift, endOf(offset + wanted.length) + shift);
  });
}

const unchanged = (offset: number): number => offset;
const [LF, CR] = [10, 13];

/** Folded offsets, asked for in rising order, as offsets of the unfolded text; the offset of a folded LF becomes that of its CR. */
function unfolding(body: string): (offset: number) => number {
  let [passed, at] = [0, 0];
  return (offset) => {
    for (; passed < offset; passed += 1) at += body.charCodeAt(at) === CR && body.charCodeAt(at + 1) === LF ? 2 : 1;
    return at;
  };
}
