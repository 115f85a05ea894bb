import { escapeHiddenAndCr } from '../../core/edits/text/unicode.ts';
import { pluralize } from '../../lib/format.ts';
import type { VerifiedChange } from './check-commit.ts';

const HEADINGS = ['commit', 'change', 'path', 'digest', 'approved by', 'result'];

const COMMIT_DIGITS = 7;

const DIGEST_DIGITS = 12;

/** Number of rows by result. */
type ResultCounts = Readonly<Record<VerifiedChange['result'], number>>;

export function countResults(rows: readonly VerifiedChange[]): ResultCounts {
  const counts = { ok: 0, mismatch: 0, copied: 0, unchecked: 0 };
  for (const { result } of rows) counts[result] += 1;
  return counts;
}

/** A table with one row per change, and a summary line. Ends with a newline. */
export function formatVerification(range: string, rows: readonly VerifiedChange[]): string {
  if (rows.length === 0) return `No commit of ${escapeHiddenAndCr(range)} has trailers of Countersign.\n`;
  const cells = [HEADINGS, ...rows.map(toCells)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? '')].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => padCell(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n\n${summaryLine(range, rows)}\n`;
}

function padCell(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}

function toCells(row: VerifiedChange): readonly string[] {
  const cells = [
    row.commit.slice(0, COMMIT_DIGITS),
    row.proposal ?? '–',
    row.path ?? '?',
    row.digest?.slice(0, DIGEST_DIGITS) ?? '–',
    row.approvedBy.join(', ') || '–',
    resultText(row),
  ];
  return cells.map((cell) => escapeHiddenAndCr(cell).replaceAll(/\s+/g, ' '));
}

function resultText({ result, problem, note }: VerifiedChange): string {
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

function summaryLine(range: string, rows: readonly VerifiedChange[]): string {
  const counts = countResults(rows);
  const commits = pluralize(new Set(rows.map(({ commit }) => commit)).size, 'commit');
  const parts = [
    `${counts.ok} ok`,
    ...(counts.mismatch === 0 ? [] : [`${counts.mismatch} mismatched`]),
    ...(counts.copied === 0 ? [] : [`${counts.copied} copied`]),
    ...(counts.unchecked === 0 ? [] : [`${counts.unchecked} not checked`]),
  ];
  return `${commits} of ${escapeHiddenAndCr(range)} with trailers: ${parts.join(', ')}.`;
}
