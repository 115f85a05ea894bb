import { type LineTable, lineTable, offsetAt } from './line-table.ts';
import { lineEnd } from './lines.ts';

const HEADER = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/;
const NO_FEED = '\\ No newline at end of file';

/** How far the old text has been read, by lines and by letters, and the new one written so far. */
type Reading = { readonly old: LineTable; line: number; offset: number; readonly fresh: string[] };

/**
 * What a text becomes by a unified diff in the form of ours; null where any line of it does not stand exactly where the
 * diff says. Only for finding out whether a diff says what is stored: what is written never comes from it. Linear, and lines
 * that the diff does not show are taken as they are, all at once.
 */
export function patched(text: string, diff: string): string | null {
  const rows = diff.split('\n');
  if (rows.pop() !== '' || !rows[0]?.startsWith('--- ') || !rows[1]?.startsWith('+++ ')) return null;
  const reading: Reading = { old: lineTable(text), line: 0, offset: 0, fresh: [] };
  for (let row = 2; row < rows.length; row += 1) {
    const line = withTerminator(rows, row);
    if (line === null) continue;
    if (!(isHeader(line) ? skipTo(reading, line) : takeRow(reading, line))) return null;
  }
  return reading.fresh.join('') + text.slice(reading.offset);
}

/** A row as a line of the file has it; null for the note that belongs to the row before. */
function withTerminator(rows: readonly string[], row: number): string | null {
  const line = rows[row] ?? '';
  if (line === NO_FEED) return null;
  return rows[row + 1] === NO_FEED ? line : `${line}\n`;
}

function isHeader(line: string): boolean {
  return line.startsWith('@@ ');
}

/** Reads on to a hunk; false where it begins before what was read, or behind the end. */
function skipTo(reading: Reading, line: string): boolean {
  const [, start, lines] = HEADER.exec(line.trimEnd()) ?? [];
  if (start === undefined) return false;
  const index = Number(lines) === 0 ? Number(start) : Number(start) - 1;
  if (index < reading.line || index > reading.old.count) return false;
  const { text } = reading.old;
  const offset = offsetAt(reading.old, index);
  reading.fresh.push(text.slice(reading.offset, offset));
  [reading.line, reading.offset] = [index, offset];
  return true;
}

function takeRow(reading: Reading, row: string): boolean {
  const content = row.slice(1);
  if (row.startsWith('+')) {
    reading.fresh.push(content);
    return true;
  }
  const { text } = reading.old;
  const end = lineEnd(text, reading.offset);
  if (reading.offset === end || text.slice(reading.offset, end) !== content) return false;
  if (row.startsWith(' ')) reading.fresh.push(content);
  else if (!row.startsWith('-')) return false;
  [reading.line, reading.offset] = [reading.line + 1, end];
  return true;
}
