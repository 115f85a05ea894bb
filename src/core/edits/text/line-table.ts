import { LF, toCodeUnits } from './characters.ts';
import { countLineFeedsByBlock, LINE_FEED_BLOCK_LENGTH } from './line-feeds.ts';
import { lineEnd, nextLineFeed } from './lines.ts';
import { forEachOccurrence, STOP_SEARCH } from './two-way-search.ts';

/**
 * A text with look-ups of the lines that `splitLines` would give. Only the lines that are needed become strings,
 * because files can be large. After many look-ups a full table replaces counting in blocks.
 */
export type LineTable = {
  readonly text: string;
  readonly lineCount: number;
  /** Where the line of an index from 0 to `lineCount` starts; for `lineCount` this is the text's length. */
  readonly offsetAt: (index: number) => number;
  /** The index of the line that holds an offset before the end. */
  readonly indexAt: (offset: number) => number;
};

/** Reads the text once. `bytes` is its UTF-8 encoding if the caller has it: for ASCII it saves a copy. */
export function createLineTable(text: string, bytes: Uint8Array | null = null): LineTable {
  // The text is ASCII if and only if it has as many bytes as characters.
  const feeds = countLineFeedsByBlock(bytes !== null && bytes.length === text.length ? bytes : toCodeUnits(text));
  const ended = feeds.at(-1) ?? 0;
  const lineCount = text === '' || text.endsWith('\n') ? ended : ended + 1;
  return { text, lineCount, ...createLookups({ text, lineCount, feeds }) };
}

/** The lines `from` (0-based) up to but not including `to`, with terminators. Lines outside the text are left out. */
export function linesAt(table: LineTable, from: number, to: number): string[] {
  const { text, lineCount } = table;
  const lines: string[] = [];
  const first = Math.max(0, from);
  let start = first < Math.min(to, lineCount) ? table.offsetAt(first) : 0;
  for (let index = first; index < Math.min(to, lineCount); index += 1) {
    const end = lineEnd(text, start);
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The 0-based index of the line that holds an offset; the number of lines for the end of the text. */
export function lineIndexAt(table: LineTable, offset: number): number {
  return offset >= table.text.length ? table.lineCount : table.indexAt(offset);
}

/** Consecutive lines as one text: joining many lines takes longer than searching for them. */
export type LineRun = { readonly text: string; readonly lineCount: number };

export function createLineRun(lines: readonly string[]): LineRun {
  return { text: lines.join(''), lineCount: lines.length };
}

export function joinLineRuns(...parts: readonly LineRun[]): LineRun {
  return parts.reduce((all, { text, lineCount }) => ({ text: all.text + text, lineCount: all.lineCount + lineCount }));
}

/** Whether exactly these lines start at a 0-based index. */
export function isLineRunAt(table: LineTable, index: number, { text, lineCount }: LineRun): boolean {
  if (index < 0 || index + lineCount > table.lineCount) return false;
  const [start, end] = [table.offsetAt(index), table.offsetAt(index + lineCount)];
  return end - start === text.length && table.text.slice(start, end) === text;
}

/** The first `max` 0-based indexes at which a run of lines starts, in order. */
export function findLineRuns(table: LineTable, needle: LineRun, max: number): number[] {
  const { text, lineCount } = needle;
  if (!text.endsWith('\n')) return text === '' ? [] : indexesOfRunAt(table, table.lineCount - lineCount, needle);
  const indexes = indexesOfRunAt(table, 0, needle);
  if (indexes.length >= max) return indexes;
  // The leading LF skips places where the needle is only the end of a longer line.
  forEachOccurrence(table.text, `\n${text}`, (offset) => {
    indexes.push(lineIndexAt(table, offset + 1));
    return indexes.length < max ? offset + 1 : STOP_SEARCH;
  });
  return indexes;
}

function indexesOfRunAt(table: LineTable, index: number, needle: LineRun): number[] {
  return isLineRunAt(table, index, needle) ? [index] : [];
}

/** Look-ups in blocks before the table of all lines is built. */
const MAX_BLOCK_LOOKUPS = 200;

type CountedLines = { readonly text: string; readonly lineCount: number; readonly feeds: Int32Array };

function createLookups(counted: CountedLines): Pick<LineTable, 'offsetAt' | 'indexAt'> {
  let offsets: Int32Array | null = null;
  let lookups = 0;
  const table = (): Int32Array | null => {
    lookups += 1;
    if (lookups > MAX_BLOCK_LOOKUPS) offsets ??= lineOffsets(counted);
    return offsets;
  };
  return {
    offsetAt: (index) => table()?.[index] ?? offsetInBlock(counted, index),
    indexAt: (offset) => {
      const all = table();
      return all === null ? indexInBlock(counted, offset) : findLastAtMost(all, counted.lineCount, offset);
    },
  };
}

function offsetInBlock({ text, lineCount, feeds }: CountedLines, index: number): number {
  if (index <= 0) return 0;
  if (index >= lineCount) return text.length;
  // The line starts in the last block that has fewer than `index` line feeds before it.
  const block = findLastAtMost(feeds, feeds.length - 1, index - 1);
  let offset = block * LINE_FEED_BLOCK_LENGTH;
  for (let passed = feeds[block] ?? 0; passed < index; passed += 1) offset = nextLineFeed(text, offset) + 1;
  return offset;
}

function indexInBlock({ text, feeds }: CountedLines, offset: number): number {
  const block = Math.floor(offset / LINE_FEED_BLOCK_LENGTH);
  let index = feeds[block] ?? 0;
  for (let at = block * LINE_FEED_BLOCK_LENGTH; at < offset; at += 1) if (text.charCodeAt(at) === LF) index += 1;
  return index;
}

/** The last index from 0 to `last` of a number up to `max`. The numbers never fall, and the first is 0. */
function findLastAtMost(numbers: Int32Array, last: number, max: number): number {
  let [from, to] = [0, last];
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= max) from = middle;
    else to = middle - 1;
  }
  return from;
}

function lineOffsets({ text, lineCount }: CountedLines): Int32Array {
  const offsets = new Int32Array(lineCount + 1);
  let offset = 0;
  for (let index = 1; index < lineCount; index += 1) {
    offset = nextLineFeed(text, offset) + 1;
    offsets[index] = offset;
  }
  offsets[lineCount] = text.length;
  return offsets;
}
