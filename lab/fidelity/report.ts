import { escapeHiddenAndCr } from '../../src/core/edits/text/unicode.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
import { formatNumber, pluralize } from '../../src/lib/format.ts';

/** How a proposal came to be made: the commands and buttons of people. */
export type ApplyMethod = 'approve' | 'button' | 'user edit' | 'undo' | 'approve by hunk' | 'undo by hunk';

/** What a way left on the branch, next to what the commit holds. */
export type ComparisonResult =
  /** The same bytes. */
  | 'exact'
  /** Exactly what was shown; but no tool could ask for these line endings, so the commit has others. */
  | 'endings'
  /** Nothing was made, and people were told why. */
  | 'refused'
  | 'mismatch';

/** Without a way where the App stopped before any. */
type FidelityMismatch = {
  readonly commit: string;
  readonly path: string;
  readonly method: ApplyMethod | null;
  readonly problem: string;
};

/** Counts of a history, or of some of its changes. */
export type FidelityTotals = {
  commits: number;
  changes: number;
  /** Changes on the branch that `countersign verify` found to be what their trailers name. */
  verified: number;
  /** What was posted: edits, new files and so on. */
  readonly kinds: Map<string, number>;
  readonly placements: Map<string, number>;
  /** Reasons for what was not proposed, or not made, with how often and where first. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
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

/** Adds the counts of some changes. */
export function addTotals(totals: FidelityTotals, more: FidelityTotals): void {
  totals.commits += more.commits;
  totals.changes += more.changes;
  totals.verified += more.verified;
  totals.mismatches.push(...more.mismatches);
  for (const name of ['kinds', 'placements', 'results'] as const)
    for (const [row, times] of more[name]) increment(totals[name], row, times);
  for (const [why, { count, example }] of more.refusals) countRefusal(totals, why, example, count);
}

/** Counts a change that was posted, by what it is and by how it is shown. */
export function countPosted(totals: FidelityTotals, { change, placement, continuationComments }: Proposal): void {
  increment(totals.kinds, change.op === 'write' && change.base === null ? 'new file' : change.op, 1);
  increment(totals.placements, `${placement?.kind}${continuationComments.length > 0 ? ', in numbered parts' : ''}`, 1);
}

function increment(counts: Map<string, number>, row: string, times: number): void {
  counts.set(row, (counts.get(row) ?? 0) + times);
}

export function countRefusal(totals: FidelityTotals, why: string, example: string, times = 1): void {
  const known = totals.refusals.get(why);
  if (known === undefined) totals.refusals.set(why, { count: times, example });
  else known.count += times;
}

export function countResult(totals: FidelityTotals, way: ApplyMethod, outcome: ComparisonResult): void {
  increment(totals.results, `${way}: ${outcome}`, 1);
}

/** A refusal without what differs from file to file, so that equal reasons count as one. */
export function normalizeReason(words: string, path: string): string {
  const line = words.split('\n').find((one) => one.trim() !== '') ?? '';
  const plain = line
    .split(path)
    .join('…')
    .replaceAll(/`[^`]*`|'[^']*'|"[^"]*"/g, '…');
  return plain.replaceAll(/\d[\d,]*/g, 'N').slice(0, 120);
}

/** The result for people, ending with a newline. `seconds` is how long it took. */
export function formatTotals(totals: FidelityTotals, seconds: number): string {
  const { commits, changes, verified, kinds, placements, refusals, results, mismatches } = totals;
  const rate = seconds > 0 ? Math.round(changes / seconds) : changes;
  const refusalRows = [...refusals].toSorted(([, left], [, right]) => right.count - left.count);
  const lines = [
    `${pluralize(changes, 'file change')} of ${pluralize(commits, 'commit')} in ${Math.round(seconds)} s (${rate} a second)`,
    ...section('Proposed as', [...kinds].toSorted(byName)),
    ...section('Shown as', [...placements].toSorted(byName)),
    ...section('Made by', [...results].toSorted(byName)),
    ...section('Verified', [['by countersign verify', verified]]),
    ...section(
      'Not proposed, or not made',
      refusalRows.map(([why, one]) => [`${why}  (first: ${one.example})`, one.count]),
    ),
    ...mismatches.map(formatMismatch),
    mismatches.length === 0 ? 'All bytes are those of the commits.' : `${pluralize(mismatches.length, 'mismatch')}!`,
  ];
  return `${lines.map(escapeHiddenAndCr).join('\n')}\n`;
}

function formatMismatch({ commit, path, method, problem }: FidelityMismatch): string {
  return method === null
    ? `STOPPED ${commit} ${path}: ${problem}`
    : `MISMATCH ${commit} ${path} by ${method}: ${problem}`;
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}

function section(title: string, rows: readonly (readonly [string, number])[]): readonly string[] {
  return rows.length === 0
    ? []
    : [`${title}:`, ...rows.map(([name, n]) => `  ${formatNumber(n).padStart(7)}  ${name}`)];
}
