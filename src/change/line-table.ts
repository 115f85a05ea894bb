import { BLOCK, feedsBefore } from './feed-count.ts';
import { LF, lettersOf } from './letters.ts';
import { lineEnd, nextFeed } from './lines.ts';
import { STOP, searchText } from './occurrences.ts';

/**
 * A text by its lines, which are those of `splitLines`: what has to be known of the lines of a large file is looked up here,
 * and only the few that are shown become strings of their own. Line feeds are counted block by block; who looks up many
 * lines gets a table of all of them.
 */
export type LineTable = {
  readonly text: string;
  readonly count: number;
  /** Where the line of an index from 0 to `count` begins; the text's length for that of `count`. */
  readonly offsetAt: (index: number) => number;
  /** The index of the line that holds an offset, which must lie before the end. */
  readonly indexAt: (offset: number) => number;
};

/** Reads the text once. `bytes` are those of the text, where they are at hand. */
export function lineTable(text: string, bytes: Uint8Array | null = null): LineTable {
  // A text has as many bytes as letters where all of them are ASCII, and nowhere else.
  const feeds = feedsBefore(bytes !== null && bytes.length === text.length ? bytes : lettersOf(text));
  const ended = feeds.at(-1) ?? 0;
  const count = text === '' || text.endsWith('\n') ? ended : ended + 1;
  return { text, count, ...lookingUp({ text, count, feeds }) };
}

/** Where the line of this 0-based index begins, which must not lie behind the end; that of `count` is the text's length. */
export function offsetAt(table: LineTable, index: number): number {
  return table.offsetAt(index);
}

/** Lines of the 0-based indexes `from` up to but not including `to`, with their terminators; those beyond the text are left out. */
export function linesAt(table: LineTable, from: number, to: number): string[] {
  const { text, count } = table;
  const lines: string[] = [];
  const first = Math.max(0, from);
  let start = first < Math.min(to, count) ? offsetAt(table, first) : 0;
  for (let index = first; index < Math.min(to, count); index += 1) {
    const end = lineEnd(text, start);
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The 0-based index of the line that holds an offset; `count` for the end of the text. */
export function lineIndexAt(table: LineTable, offset: number): number {
  return offset >= table.text.length ? table.count : table.indexAt(offset);
}

/** Lines that follow each other, as the one text that they are: joining many takes longer than to look for them. */
export type Stretch = { readonly text: string; readonly lines: number };

export function stretchOf(lines: readonly string[]): Stretch {
  return { text: lines.join(''), lines: lines.length };
}

/** Stretches that follow each other as one. */
export function joined(...parts: readonly Stretch[]): Stretch {
  return parts.reduce((all, { text, lines }) => ({ text: all.text + text, lines: all.lines + lines }));
}

/** Whether exactly these lines stand from a 0-based index on. */
export function standsAt(table: LineTable, index: number, { text, lines }: Stretch): boolean {
  if (index < 0 || index + lines > table.count) return false;
  const [start, end] = [offsetAt(table, index), offsetAt(table, index + lines)];
  return end - start === text.length && table.text.slice(start, end) === text;
}

/** 0-based indexes at which a stretch of lines stands, in order, as many as are asked for. */
export function placesOfLines(table: LineTable, sought: Stretch, most: number): number[] {
  const { text, lines } = sought;
  if (!text.endsWith('\n')) return text === '' ? [] : onlyAt(table, table.count - lines, sought);
  const places = onlyAt(table, 0, sought);
  if (places.length >= most) return places;
  // With the line feed before it: a text of many lines may end in the sought one's letters everywhere.
  searchText(table.text, `\n${text}`, (offset) => {
    places.push(lineIndexAt(table, offset + 1));
    return places.length < most ? offset + 1 : STOP;
  });
  return places;
}

function onlyAt(table: LineTable, index: number, sought: Stretch): number[] {
  return standsAt(table, index, sought) ? [index] : [];
}

/** Look-ups in blocks before a table of all lines is made. */
const FEW = 200;

type Counted = { readonly text: string; readonly count: number; readonly feeds: Int32Array };

function lookingUp(counted: Counted): Pick<LineTable, 'offsetAt' | 'indexAt'> {
  let offsets: Int32Array | null = null;
  let looked = 0;
  const table = (): Int32Array | null => {
    looked += 1;
    if (looked > FEW) offsets ??= allOffsets(counted);
    return offsets;
  };
  return {
    offsetAt: (index) => table()?.[index] ?? offsetInBlock(counted, index),
    indexAt: (offset) => {
      const all = table();
      return all === null ? indexInBlock(counted, offset) : lastUpTo(all, counted.count, offset);
    },
  };
}

function offsetInBlock({ text, count, feeds }: Counted, index: number): number {
  if (index <= 0) return 0;
  if (index >= count) return text.length;
  // The last block before which fewer line feeds stand: the line begins behind one of its own.
  const block = lastUpTo(feeds, feeds.length - 1, index - 1);
  let offset = block * BLOCK;
  for (let passed = feeds[block] ?? 0; passed < index; passed += 1) offset = nextFeed(text, offset) + 1;
  return offset;
}

function indexInBlock({ text, feeds }: Counted, offset: number): number {
  const block = Math.floor(offset / BLOCK);
  let index = feeds[block] ?? 0;
  for (let at = block * BLOCK; at < offset; at += 1) if (text.charCodeAt(at) === LF) index += 1;
  return index;
}

/** The last index, from 0 to `last`, of a number up to `most`; the numbers never fall and the first one is 0. */
function lastUpTo(numbers: Int32Array, last: number, most: number): number {
  let [from, to] = [0, last];
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= most) from = middle;
    else to = middle - 1;
  }
  return from;
}

function allOffsets({ text, count }: Counted): Int32Array {
  const offsets = new Int32Array(count + 1);
  let offset = 0;
  for (let index = 1; index < count; index += 1) {
    offset = nextFeed(text, offset) + 1;
    offsets[index] = offset;
  }
  offsets[count] = text.length;
  return offsets;
}
