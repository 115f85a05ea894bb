import { asItIs, type Folded, folded } from './folded.ts';
import { type LineTable, lineIndexAt } from './line-table.ts';
import { withoutCarriageReturns } from './lines.ts';
import { STOP, searchText } from './occurrences.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** Where a sought text stands: offsets into the file's own text, which never split a CRLF. */
export type Match = { readonly start: number; readonly end: number };

/** A text in which matches are looked for, perhaps several times: its line ends are folded once, and only where they matter. */
export type Findable = { readonly text: string; readonly folded: () => Folded };

/** Makes a text ready to be searched. */
export function findable(text: string): Findable {
  let made: Folded | null = null;
  return {
    text,
    folded: () => {
      made ??= folded(withoutMark(text));
      return made;
    },
  };
}

/**
 * The first `most` places where `sought` stands in `text`, overlapping ones included, in order.
 * CRLF and LF are the same and a byte order mark is not there; nothing else is folded.
 */
export function findMatches(text: Findable, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  eachMatch(text, sought, (place) => (matches.push(place()) < most ? 'next' : 'none'));
  return matches;
}

/** Some matches, and how many there are. */
export type Counted = { readonly matches: readonly Match[]; readonly count: number };

/** The first `named` of all matches, and how many there are, overlapping ones too; one more than `most` where there are more. */
export function countMatches(text: Findable, sought: string, named: number, most: number): Counted {
  const matches: Match[] = [];
  let count = 0;
  eachMatch(text, sought, (place) => {
    count += 1;
    if (count <= named) matches.push(place());
    return count <= most ? 'next' : 'none';
  });
  return { matches, count };
}

/** The first `most` matches that a replacement from left to right meets, each beginning where the one before it has ended or later. */
export function matchesApart(text: Findable, sought: string, most: number): Match[] {
  const matches: Match[] = [];
  eachMatch(text, sought, (place) => (matches.push(place()) < most ? 'next-apart' : 'none'));
  return matches;
}

/** The 1-based line on which a match begins. */
export function matchLine(lines: LineTable, { start }: Match): number {
  return lineIndexAt(lines, start) + 1;
}

/** Which match is asked for after this one: the next, the next that begins no earlier than where this one ends, or none. */
type Wanted = 'next' | 'next-apart' | 'none';

function eachMatch({ text, folded: foldedText }: Findable, sought: string, take: (place: () => Match) => Wanted): void {
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const atStart = shift === 1 && sought.startsWith(BYTE_ORDER_MARK);
  const wanted = withoutCarriageReturns(atStart ? sought.slice(1) : sought);
  const within = /[\r\n]/.test(wanted) ? foldedText() : asItIs(withoutMark(text));
  searchText(within.text, wanted, (offset) => {
    if (atStart && offset > 0) return STOP;
    const behind = offset + wanted.length;
    const next = take(() => ({ start: within.unfold(offset) + shift, end: within.unfold(behind) + shift }));
    return next === 'none' ? STOP : next === 'next' ? offset + 1 : behind;
  });
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
