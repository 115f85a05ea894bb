import type { Proposal } from '../run/proposal.ts';

/** How a proposal came to be made: the commands and buttons of people. */
export type Way = 'approve' | 'button' | 'own lines' | 'undo' | 'approve by hunk' | 'undo by hunk';

/** What a way left on the branch, next to what the commit holds. */
export type Outcome =
  /** The same bytes. */
  | 'exact'
  /** Exactly what was shown; but no tool could ask for these line endings, so the commit has others. */
  | 'endings'
  /** Nothing was made, and people were told why. */
  | 'refused'
  | 'mismatch';

/** Without a way where the App stopped before any. */
export type Fault = {
  readonly commit: string;
  readonly path: string;
  readonly way: Way | null;
  readonly what: string;
};

/** Counts of a history, or of some of its changes. */
export type Tally = {
  commits: number;
  changes: number;
  /** Changes on the branch that `countersign verify` found to be what their trailers name. */
  verified: number;
  /** What was posted: edits, new files and so on. */
  readonly kinds: Map<string, number>;
  readonly rungs: Map<string, number>;
  /** Reasons for what was not proposed, or not made, with how often and where first. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
  readonly ways: Map<string, number>;
  readonly faults: Fault[];
};

export function newTally(): Tally {
  return {
    commits: 0,
    changes: 0,
    verified: 0,
    kinds: new Map(),
    rungs: new Map(),
    refusals: new Map(),
    ways: new Map(),
    faults: [],
  };
}

/** Adds the counts of some changes. */
export function addTally(tally: Tally, more: Tally): void {
  tally.commits += more.commits;
  tally.changes += more.changes;
  tally.verified += more.verified;
  tally.faults.push(...more.faults);
  for (const name of ['kinds', 'rungs', 'ways'] as const)
    for (const [row, times] of more[name]) add(tally[name], row, times);
  for (const [why, { count, example }] of more.refusals) countRefusal(tally, why, example, count);
}

/** Counts a change that was posted, by what it is and by how it is shown. */
export function countPosted(tally: Tally, { change, placement, parts }: Proposal): void {
  add(tally.kinds, change.op === 'write' && change.base === null ? 'new file' : change.op, 1);
  add(tally.rungs, `${placement?.kind}${parts.length > 0 ? ', in numbered parts' : ''}`, 1);
}

function add(counts: Map<string, number>, row: string, times: number): void {
  counts.set(row, (counts.get(row) ?? 0) + times);
}

export function countRefusal(tally: Tally, why: string, example: string, times = 1): void {
  const known = tally.refusals.get(why);
  if (known === undefined) tally.refusals.set(why, { count: times, example });
  else known.count += times;
}

export function countWay(tally: Tally, way: Way, outcome: Outcome): void {
  add(tally.ways, `${way}: ${outcome}`, 1);
}

/** A refusal without what differs from file to file, so that equal reasons count as one. */
export function reasonOf(words: string, path: string): string {
  const line = words.split('\n').find((one) => one.trim() !== '') ?? '';
  const plain = line
    .split(path)
    .join('…')
    .replaceAll(/`[^`]*`|'[^']*'|"[^"]*"/g, '…');
  return plain.replaceAll(/\d[\d,]*/g, 'N').slice(0, 120);
}
