import { forEachOccurrence, STOP_SEARCH } from './find-text.ts';
import { lineEnd } from './lines.ts';

/** A text with look-ups of the lines that `splitLines` would give. Only the lines that are needed become strings. */
export type LineTable = {
  readonly text: string;
  readonly lineCount: number;
  /** Where the line of an index from 0 to `lineCount` starts; for `lineCount` this is the text's length. */
  readonly offsetAt: (index: number) => number;
  /** The index of the line that holds an offset before the end. */
  readonly indexAt: (offset: number) => number;
};

/** Reads the text once. */
export function createLineTable(text: string): LineTable {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineCount = starts.at(-1) === text.length ? starts.length - 1 : starts.length;
  return {
    text,
    lineCount,
    offsetAt: (index) => (index >= lineCount ? text.length : (starts[Math.max(0, index)] ?? 0)),
    indexAt: (offset) => lastAtMost(starts, offset),
  };
}

/** The last index of a number up to `max`. The numbers rise, and the first is 0. */
function lastAtMost(numbers: readonly number[], max: number): number {
  let [from, to] = [0, numbers.length - 1];
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= max) from = middle;
    else to = middle - 1;
  }
  return from;
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
