import { findText } from './occurrences.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** Where a sought text stands: offsets into the file's own text, which never split a CRLF. */
export type Match = { readonly start: number; readonly end: number };

/**
 * Every place where `sought` stands in `text`, overlapping ones included, in order.
 * CRLF and LF are the same and a byte order mark is not there; nothing else is folded.
 */
export function findMatches(text: string, sought: string): Match[] {
  const marked = text.startsWith(BYTE_ORDER_MARK);
  const shift = marked ? 1 : 0;
  const body = marked ? text.slice(1) : text;
  const atStart = marked && sought.startsWith(BYTE_ORDER_MARK);
  const wanted = atStart ? sought.slice(1) : sought;
  const matches = matchesIn(body, wanted.replaceAll('\r\n', '\n'));
  const placed = shift === 0 ? matches : matches.map(({ start, end }) => ({ start: start + shift, end: end + shift }));
  return atStart ? placed.filter(({ start }) => start === shift) : placed;
}

/** The matches that a replacement from left to right meets, each beginning where the one before it has ended or later. */
export function withoutOverlaps(matches: readonly Match[]): Match[] {
  const kept: Match[] = [];
  let end = 0;
  for (const match of matches) {
    if (match.start < end) continue;
    kept.push(match);
    end = match.end;
  }
  return kept;
}

/** The 1-based line on which each match begins. */
export function matchLines(text: string, matches: readonly Match[]): number[] {
  const lines: number[] = [];
  let line = 1;
  let feed = text.indexOf('\n');
  for (const { start } of matches) {
    while (feed !== -1 && feed < start) {
      line += 1;
      feed = text.indexOf('\n', feed + 1);
    }
    lines.push(line);
  }
  return lines;
}

function matchesIn(body: string, wanted: string): Match[] {
  const folded = body.replaceAll('\r\n', '\n');
  const found = findText(folded, wanted);
  if (folded.length === body.length) return found.map((start) => ({ start, end: start + wanted.length }));
  const removed = removedPositions(body);
  const starts = unfold(found, removed);
  const ends = unfold(
    found.map((start) => start + wanted.length),
    removed,
  );
  return starts.map((start, index) => ({ start, end: ends[index] ?? start }));
}

/** For each CR that folding took away: the folded offset of the LF behind it. */
function removedPositions(body: string): number[] {
  const positions: number[] = [];
  for (let pair = body.indexOf('\r\n'); pair !== -1; pair = body.indexOf('\r\n', pair + 2)) {
    positions.push(pair - positions.length);
  }
  return positions;
}

/** Rising folded offsets as offsets of the unfolded text; the offset of a folded LF becomes that of its CR. */
function unfold(offsets: readonly number[], removed: readonly number[]): number[] {
  let passed = 0;
  return offsets.map((offset) => {
    while (passed < removed.length && (removed[passed] ?? 0) < offset) passed += 1;
    return offset + passed;
  });
}
