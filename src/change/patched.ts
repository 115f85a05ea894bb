import { splitLines } from './lines.ts';

const HEADER = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/;
const NO_FEED = '\\ No newline at end of file';

/** How far the old text has been read, and the new one written so far. */
type Reading = { readonly old: readonly string[]; at: number; readonly fresh: string[] };

/**
 * What a text becomes by a unified diff in the form of ours; null where any line of it does not stand exactly where the
 * diff says. Only for finding out whether a diff says what is stored: what is written never comes from it. Linear.
 */
export function patched(text: string, diff: string): string | null {
  const rows = diff.split('\n');
  if (rows.pop() !== '' || !rows[0]?.startsWith('--- ') || !rows[1]?.startsWith('+++ ')) return null;
  const reading: Reading = { old: splitLines(text), at: 0, fresh: [] };
  for (let row = 2; row < rows.length; row += 1) {
    const line = withTerminator(rows, row);
    if (line === null) continue;
    if (!(isHeader(line) ? skipTo(reading, line) : takeRow(reading, line))) return null;
  }
  return [...reading.fresh, ...reading.old.slice(reading.at)].join('');
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
  if (index < reading.at || index > reading.old.length) return false;
  while (reading.at < index) keep(reading);
  return true;
}

function keep(reading: Reading): void {
  reading.fresh.push(reading.old[reading.at] ?? '');
  reading.at += 1;
}

function takeRow(reading: Reading, line: string): boolean {
  const content = line.slice(1);
  if (line.startsWith('+')) {
    reading.fresh.push(content);
    return true;
  }
  if (reading.old[reading.at] !== content) return false;
  if (line.startsWith(' ')) keep(reading);
  else if (line.startsWith('-')) reading.at += 1;
  else return false;
  return true;
}
