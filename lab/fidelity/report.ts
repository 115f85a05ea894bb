import { escapeHiddenAndCr } from '../../src/core/edits/text/unicode.ts';
import { formatNumber, pluralize } from '../../src/lib/format.ts';

/** A way in which a person applies a proposal or undoes it. */
export type ApplyMethod = 'approve' | 'button' | 'user edit' | 'undo' | 'approve by hunk' | 'undo by hunk';

/** The file on the branch, compared with the file of the commit. */
export type ComparisonResult =
  /** Both have equal bytes. */
  | 'exact'
  /** The shown bytes. They differ from the commit in line endings, which no tool can request. */
  | 'endings'
  /** Not applied, and the person got the reason. */
  | 'refused'
  | 'mismatch';

type FidelityMismatch = {
  readonly commit: string;
  readonly path: string;
  /** Null if an error ended the trial. */
  readonly method: ApplyMethod | null;
  readonly problem: string;
};

/** Counts of a history or of a part of it. */
export type FidelityTotals = {
  commits: number;
  changes: number;
  /** Changes whose commit trailers `countersign verify` confirmed. */
  verified: number;
  /** Reasons why changes were not proposed or not applied. `example` is the commit and path of the first one. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
  /** By method and comparison result, such as `approve: exact`. */
  readonly results: Map<string, number>;
  readonly mismatches: FidelityMismatch[];
};

export function createTotals(): FidelityTotals {
  return { commits: 0, changes: 0, verified: 0, refusals: new Map(), results: new Map(), mismatches: [] };
}

export function addTotals(totals: FidelityTotals, more: FidelityTotals): void {
  totals.commits += more.commits;
  totals.changes += more.changes;
  totals.verified += more.verified;
  totals.mismatches.push(...more.mismatches);
  for (const [row, count] of more.results) increment(totals.results, row, count);
  for (const [reason, { count, example }] of more.refusals) countRefusal(totals, reason, example, count);
}

function increment(counts: Map<string, number>, row: string, count: number): void {
  counts.set(row, (counts.get(row) ?? 0) + count);
}

/** `example` is a commit and a path. */
export function countRefusal(totals: FidelityTotals, reason: string, example: string, count = 1): void {
  const known = totals.refusals.get(reason);
  if (known === undefined) totals.refusals.set(reason, { count, example });
  else known.count += count;
}

export function countResult(totals: FidelityTotals, method: ApplyMethod, result: ComparisonResult): void {
  increment(totals.results, `${method}: ${result}`, 1);
}

/** The first line of a refusal without paths, quotations and numbers, so that equal reasons count as one. */
export function normalizeReason(text: string, path: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const withoutDetails = line
    .split(path)
    .join('…')
    .replaceAll(/`[^`]*`|'[^']*'|"[^"]*"/g, '…');
  return withoutDetails.replaceAll(/\d[\d,]*/g, 'N').slice(0, 120);
}

/** The report as text, ending with a newline. `seconds` is the duration of the run. */
export function formatTotals(totals: FidelityTotals, seconds: number): string {
  const { commits, changes, verified, refusals, results, mismatches } = totals;
  const lines = [
    `${pluralize(changes, 'file change')} of ${pluralize(commits, 'commit')} in ${Math.round(seconds)} s`,
    ...[...results].toSorted().map(([name, count]) => countLine(count, name)),
    countLine(verified, 'verified by countersign verify'),
    ...[...refusals].map(([reason, { count, example }]) =>
      countLine(count, `not proposed or not applied: ${reason}  (first: ${example})`),
    ),
    ...mismatches.map(
      ({ commit, path, method, problem }) => `MISMATCH ${commit} ${path} by ${method ?? 'an error'}: ${problem}`,
    ),
    mismatches.length === 0 ? 'All bytes equal those of the commits.' : `${pluralize(mismatches.length, 'mismatch')}!`,
  ];
  return `${lines.map(escapeHiddenAndCr).join('\n')}\n`;
}

function countLine(count: number, name: string): string {
  return `  ${formatNumber(count).padStart(7)}  ${name}`;
}
