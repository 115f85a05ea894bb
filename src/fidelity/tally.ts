/** How a proposal came to be made: the commands and buttons of people. */
export type Way = 'approve' | 'button' | 'own lines' | 'undo';

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
  readonly rungs: Map<string, number>;
  /** Reasons for what was not proposed, or not made, with how often and where first. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
  readonly ways: Map<string, number>;
  readonly faults: Fault[];
};

export function newTally(): Tally {
  return { commits: 0, changes: 0, verified: 0, rungs: new Map(), refusals: new Map(), ways: new Map(), faults: [] };
}

/** Adds the counts of some changes. */
export function addTally(tally: Tally, more: Tally): void {
  tally.commits += more.commits;
  tally.changes += more.changes;
  tally.verified += more.verified;
  tally.faults.push(...more.faults);
  for (const [rung, times] of more.rungs) tally.rungs.set(rung, (tally.rungs.get(rung) ?? 0) + times);
  for (const [way, times] of more.ways) tally.ways.set(way, (tally.ways.get(way) ?? 0) + times);
  for (const [why, { count, example }] of more.refusals) countRefusal(tally, why, example, count);
}

export function countRung(tally: Tally, rung: string): void {
  tally.rungs.set(rung, (tally.rungs.get(rung) ?? 0) + 1);
}

export function countRefusal(tally: Tally, why: string, example: string, times = 1): void {
  const known = tally.refusals.get(why);
  if (known === undefined) tally.refusals.set(why, { count: times, example });
  else known.count += times;
}

export function countWay(tally: Tally, way: Way, outcome: Outcome): void {
  const name = `${way}: ${outcome}`;
  tally.ways.set(name, (tally.ways.get(name) ?? 0) + 1);
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
