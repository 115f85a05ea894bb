import { nextFeed } from './lines.ts';
import { STOP, searchText } from './occurrences.ts';

/**
 * A text with the offset at which each of its lines begins, and behind them the text's length: what has to be known of
 * the lines of a large file is looked up here, and only the few that are shown become strings of their own.
 */
export type LineTable = { readonly text: string; readonly count: number; readonly offsets: Int32Array };

/** Reads the text once. Lines are those of `splitLines`. */
export function lineTable(text: string): LineTable {
  let offsets = new Int32Array(FIRST_ROOM);
  let count = 0;
  for (let feed = nextFeed(text, 0); feed !== -1; feed = nextFeed(text, feed + 1)) {
    if (count + 2 >= offsets.length) offsets = grown(offsets);
    count += 1;
    offsets[count] = feed + 1;
  }
  if ((offsets[count] ?? 0) < text.length) {
    count += 1;
    offsets[count] = text.length;
  }
  return { text, count, offsets };
}

/** Where the line of this 0-based index begins, which must not lie behind the end; that of `count` is the text's length. */
export function offsetAt({ offsets }: LineTable, index: number): number {
  return offsets[index] ?? 0;
}

/** Lines of the 0-based indexes `from` up to but not including `to`, with their terminators; those beyond the text are left out. */
export function linesAt(table: LineTable, from: number, to: number): string[] {
  const lines: string[] = [];
  for (let index = Math.max(0, from); index < Math.min(to, table.count); index += 1) {
    lines.push(table.text.slice(offsetAt(table, index), offsetAt(table, index + 1)));
  }
  return lines;
}

/** The 0-based index of the line that holds an offset; `count` for the end of the text. */
export function lineIndexAt(table: LineTable, offset: number): number {
  let [from, to] = [0, table.count];
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if (offsetAt(table, middle) <= offset) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Whether exactly these lines stand from a 0-based index on. */
export function standsAt(table: LineTable, index: number, sought: readonly string[]): boolean {
  if (index < 0 || index + sought.length > table.count) return false;
  const start = offsetAt(table, index);
  const text = sought.join('');
  return offsetAt(table, index + sought.length) - start === text.length && table.text.startsWith(text, start);
}

/** 0-based indexes at which a run of lines stands, in order, as many as are asked for. */
export function placesOfLines(table: LineTable, sought: readonly string[], most: number): number[] {
  const places: number[] = [];
  searchText(table.text, sought.join(''), (offset) => {
    if (offset > 0 && table.text[offset - 1] !== '\n') return offset + 1;
    const index = lineIndexAt(table, offset);
    if (standsAt(table, index, sought)) places.push(index);
    return places.length < most ? offset + 1 : STOP;
  });
  return places;
}

const FIRST_ROOM = 1024;

function grown(offsets: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(offsets.length * 2);
  larger.set(offsets);
  return larger;
}
