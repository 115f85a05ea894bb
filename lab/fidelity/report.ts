import { escapeHiddenAndCr } from '../../src/core/edits/text/unicode.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
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
  /** Posted proposals by kind of change, such as `edit` or `new file`. */
  readonly kinds: Map<string, number>;
  /** Posted proposals by placement. */
  readonly placements: Map<string, number>;
  /** Reasons why changes were not proposed or not applied. `example` is the commit and path of the first one. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
  /** By method and comparison result, such as `approve: exact`. */
  readonly results: Map<string, number>;
  readonly mismatches: FidelityMismatch[];
};

export function createTotals(): FidelityTotals {
  return {
    commits: 0,
    changes: 0,
    verified: 0,
    kinds: new Map(),
    placements: new Map(),
    refusals: new Map(),
    results: new Map(),
    mismatches: [],
  };
}

export function addTotals(totals: FidelityTotals, more: FidelityTotals): void {
  totals.commits += more.commits;
  totals.changes += more.changes;
  totals.verified += more.verified;
  totals.mismatches.push(...more.mismatches);
  for (const name of ['kinds', 'placements', 'results'] as const)
    for (const [row, count] of more[name]) increment(totals[name], row, count);
  for (const [reason, { count, example }] of more.refusals) countRefusal(totals, reason, example, count);
}

export function countPosted(totals: FidelityTotals, { change, placement }: Proposal): void {
  increment(totals.kinds, change.op === 'write' && change.base === null ? 'new file' : change.op, 1);
  increment(totals.placements, `${placement?.kind}`, 1);
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
  const { commits, changes, verified, kinds, placements, refusals, results, mismatches } = totals;
  const rate = seconds > 0 ? Math.round(changes / seconds) : changes;
  const refusalRows = [...refusals].toSorted(([, left], [, right]) => right.count - left.count);
  const lines = [
    `${pluralize(changes, 'file change')} of ${pluralize(commits, 'commit')} in ${Math.round(seconds)} s (${rate} per second)`,
    ...section('Proposed as', [...kinds].toSorted(byName)),
    ...section('Shown as', [...placements].toSorted(byName)),
    ...section('Applied by', [...results].toSorted(byName)),
    ...section('Verified', [['by countersign verify', verified]]),
    ...section(
      'Not proposed or not applied',
      refusalRows.map(([reason, { example, count }]) => [`${reason}  (first: ${example})`, count]),
    ),
    ...mismatches.map(formatMismatch),
    mismatches.length === 0 ? 'All bytes equal those of the commits.' : `${pluralize(mismatches.length, 'mismatch')}!`,
  ];
  return `${lines.map(escapeHiddenAndCr).join('\n')}\n`;
}

function formatMismatch({ commit, path, method, problem }: FidelityMismatch): string {
  return method === null
    ? `ERROR ${commit} ${path}: ${problem}`
    : `MISMATCH ${commit} ${path} by ${method}: ${problem}`;
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}

function section(title: string, rows: readonly (readonly [string, number])[]): readonly string[] {
  return rows.length === 0
    ? []
    : [`${title}:`, ...rows.map(([name, count]) => `  ${formatNumber(count).padStart(7)}  ${name}`)];
}
