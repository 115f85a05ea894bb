import type { PlayedCase } from './case.ts';

/** How often something happened, by its name. */
export type Counts = Readonly<Record<string, number>>;

/** What many cases came to. Plain data, so that threads can send it to each other. */
export type Tally = {
  readonly cases: number;
  readonly events: number;
  readonly commits: number;
  readonly faults: Counts;
  /** Reasons of decided signals. */
  readonly reasons: Counts;
  /** Steps of proposals, such as `proposed to approved`. */
  readonly transitions: Counts;
  readonly failures: readonly Failure[];
};

/** A case in which something was wrong, and what. */
export type Failure = { readonly seed: number; readonly problems: readonly string[] };

export const NOTHING_PLAYED: Tally = {
  cases: 0,
  events: 0,
  commits: 0,
  faults: {},
  reasons: {},
  transitions: {},
  failures: [],
};

export function tallyOf({ seed, trace, events, reasons }: PlayedCase, problems: readonly string[]): Tally {
  const faults: Record<string, number> = {};
  const transitions: Record<string, number> = {};
  let commits = 0;
  for (const happening of trace.happenings) {
    if (happening.kind === 'fault') count(faults, happening.fault);
    if (happening.kind === 'committed' && happening.outcome.kind === 'committed') commits += 1;
    if (happening.kind !== 'saved' || happening.result !== 'saved') continue;
    for (const { id, state } of happening.step.pull.proposals) {
      const was = happening.before.get(id);
      if (was !== undefined && was !== state) count(transitions, `${was} to ${state}`);
    }
  }
  const failures = problems.length === 0 ? [] : [{ seed, problems }];
  return { cases: 1, events, commits, faults, reasons: Object.fromEntries(reasons), transitions, failures };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const numbers = (of: (tally: Tally) => number): number => tallies.reduce((sum, tally) => sum + of(tally), 0);
  return {
    cases: numbers(({ cases }) => cases),
    events: numbers(({ events }) => events),
    commits: numbers(({ commits }) => commits),
    faults: together(tallies.map(({ faults }) => faults)),
    reasons: together(tallies.map(({ reasons }) => reasons)),
    transitions: together(tallies.map(({ transitions }) => transitions)),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

function together(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, amount] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}
