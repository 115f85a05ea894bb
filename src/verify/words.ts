import { visible } from '../render/visible.ts';
import { count } from '../render/words.ts';
import type { Row } from './verify-commit.ts';

const HEADINGS = ['commit', 'change', 'path', 'digest', 'approved by', 'result'];
const COMMIT_DIGITS = 7;
const DIGEST_DIGITS = 12;

/** How many rows came to what. */
export type Sums = Readonly<Record<Row['result'], number>>;

export function sumsOf(rows: readonly Row[]): Sums {
  const sums = { ok: 0, mismatch: 0, copied: 0, unchecked: 0 };
  for (const { result } of rows) sums[result] += 1;
  return sums;
}

/** A table for people, a row for each change, and a line that sums it up. Ends with a newline. */
export function verifiedText(range: string, rows: readonly Row[]): string {
  if (rows.length === 0) return `No commit of ${visible(range)} carries trailers of Countersign.\n`;
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? '')].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n\n${summary(range, rows)}\n`;
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}

function cellsOf(row: Row): readonly string[] {
  const cells = [
    row.commit.slice(0, COMMIT_DIGITS),
    row.proposal ?? '–',
    row.path ?? '?',
    row.digest?.slice(0, DIGEST_DIGITS) ?? '–',
    row.approvedBy.join(', ') || '–',
    resultOf(row),
  ];
  return cells.map((cell) => visible(cell).replaceAll(/\s+/g, ' '));
}

function resultOf({ result, problem, note }: Row): string {
  switch (result) {
    case 'ok':
      return 'ok';
    case 'mismatch':
      return `MISMATCH: ${problem}`;
    case 'unchecked':
      return `not checked: ${problem}`;
    case 'copied':
      return `copied (${note}); ${problem === null ? 'it holds the same change' : 'not comparable'}`;
  }
}

function summary(range: string, rows: readonly Row[]): string {
  const sums = sumsOf(rows);
  const commits = count(new Set(rows.map(({ commit }) => commit)).size, 'commit');
  const told = [
    `${sums.ok} ok`,
    ...(sums.mismatch === 0 ? [] : [`${sums.mismatch} mismatched`]),
    ...(sums.copied === 0 ? [] : [`${sums.copied} copied`]),
    ...(sums.unchecked === 0 ? [] : [`${sums.unchecked} not checked`]),
  ];
  return `${commits} of ${visible(range)} with trailers: ${told.join(', ')}.`;
}
