import { escapeHiddenAndCr } from '../../core/edits/text/unicode.ts';
import { pluralize } from '../../lib/format.ts';
import type { VerifiedChange } from './check-commit.ts';

const HEADINGS = ['commit', 'change', 'path', 'digest', 'approved by', 'committed by', 'result'];

const COMMIT_DIGITS = 7;

const DIGEST_DIGITS = 12;

/** Number of rows by result. */
export function countResults(rows: readonly VerifiedChange[]): Readonly<Record<VerifiedChange['result'], number>> {
  const counts = { ok: 0, mismatch: 0, copied: 0, unchecked: 0 };
  for (const { result } of rows) counts[result] += 1;
  return counts;
}

/** One line that says what the result proves. */
export function proofOf(keys: readonly string[]): string {
  const origin =
    keys.length === 0
      ? 'It does not prove who made a commit: everybody can write these names and trailers, and only --key checks a signature.'
      : 'The signature proves that the holder of the key made the commit.';
  return `ok proves that a commit holds exactly what its digests name. ${origin}`;
}

/** A table with one row per change, a summary line, and a last line about the proof. Ends with a newline. */
export function formatVerification(range: string, rows: readonly VerifiedChange[], proof: string): string {
  if (rows.length === 0) return `No commit of ${escapeHiddenAndCr(range)} has trailers of Countersign.\n`;
  const cells = [HEADINGS, ...rows.map(toCells)];
  const widths = HEADINGS.map((_, column) => columnWidth(cells.map((row) => row[column] ?? '')));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n\n${summaryLine(range, rows)}\n${proof}\n`;
}

/** A longer cell sticks out, because one of many rows would widen all of them. */
const MAX_PADDED_WIDTH = 100;

function columnWidth(cells: readonly string[]): number {
  const longest = cells.reduce((width, cell) => Math.max(width, [...cell].length), 0);
  return Math.min(longest, MAX_PADDED_WIDTH);
}

function toCells({ commit, proposal, path, digest, approvedBy, committedBy, result, problem }: VerifiedChange) {
  const cells = [
    commit.slice(0, COMMIT_DIGITS),
    proposal ?? '–',
    path ?? '?',
    digest?.slice(0, DIGEST_DIGITS) ?? '–',
    approvedBy.join(', ') || '–',
    committedBy,
    problem === null ? RESULT_TEXT[result] : `${RESULT_TEXT[result]}: ${problem}`,
  ];
  return cells.map((cell) => escapeHiddenAndCr(cell).replaceAll(/\s+/g, ' '));
}

const RESULT_TEXT: Readonly<Record<VerifiedChange['result'], string>> = {
  ok: 'ok',
  mismatch: 'MISMATCH',
  copied: 'copied',
  unchecked: 'not checked',
};

function summaryLine(range: string, rows: readonly VerifiedChange[]): string {
  const counts = countResults(rows);
  const commits = pluralize(new Set(rows.map(({ commit }) => commit)).size, 'commit');
  const parts = [
    `${counts.ok} ok`,
    ...(counts.mismatch === 0 ? [] : [`${counts.mismatch} mismatched`]),
    ...(counts.copied === 0 ? [] : [`${counts.copied} copied`]),
    ...(counts.unchecked === 0 ? [] : [`${counts.unchecked} not checked`]),
  ];
  return `${commits} of ${escapeHiddenAndCr(range)}: ${parts.join(', ')}.`;
}
