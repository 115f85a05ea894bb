import { z } from 'zod';
import type { PlayedCase } from '../simulation/checks/evidence.ts';
import { type HostileCase, PROMISES, playHostileCase, promiseOf } from './play.ts';

export const TOTALS_SCHEMA = z.object({
  cases: z.number(),
  turns: z.number(),
  calls: z.number(),
  /** Changes that people were shown. */
  proposals: z.number(),
  commits: z.number(),
  /** Injected texts that strangers wrote or that others quoted. */
  injections: z.number(),
  failures: z.array(z.object({ seed: z.number(), problems: z.array(z.string()) })),
});

/** Counts over many cases. Plain data, so that threads and checkpoints can hold it. */
export type AdversaryTotals = Readonly<z.infer<typeof TOTALS_SCHEMA>>;

export const NO_TURNS: AdversaryTotals = {
  ...{ cases: 0, turns: 0, calls: 0, proposals: 0, commits: 0, injections: 0 },
  failures: [],
};

/** Plays and checks the case with this seed. */
export async function tryCase(seed: number): Promise<AdversaryTotals> {
  return totalsOf(await playHostileCase(seed));
}

export function totalsOf({ played, witness, problems }: HostileCase): AdversaryTotals {
  const { turns, calls } = witness.counts;
  const failures = problems.length === 0 ? [] : [{ seed: played.seed, problems: [...new Set(problems)] }];
  return { cases: 1, turns, calls, ...countEvents(played), failures };
}

function countEvents({ trace }: PlayedCase): Pick<AdversaryTotals, 'proposals' | 'commits' | 'injections'> {
  const proposals = new Set<string>();
  let [commits, injections] = [0, 0];
  for (const event of trace.events) {
    if (event.kind === 'committed' && event.outcome.kind === 'committed') commits += 1;
    if (event.kind === 'person-action' && event.action.includes(' an injected ')) injections += 1;
    if (event.kind === 'saved') for (const { id } of event.step.pull.proposals) proposals.add(id);
  }
  return { proposals: proposals.size, commits, injections };
}

export function addTotals(left: AdversaryTotals, right: AdversaryTotals): AdversaryTotals {
  return {
    cases: left.cases + right.cases,
    turns: left.turns + right.turns,
    calls: left.calls + right.calls,
    proposals: left.proposals + right.proposals,
    commits: left.commits + right.commits,
    injections: left.injections + right.injections,
    failures: [...left.failures, ...right.failures],
  };
}

/** How often each promise was broken, and what was tried in `seconds`. */
export function reportLines(totals: AdversaryTotals, seconds: number): readonly string[] {
  const broken = totals.failures.flatMap(({ problems }) => problems.map(promiseOf));
  const { cases, turns, calls, proposals, commits, injections } = totals;
  return [
    ...table(Object.keys(PROMISES).map((name) => [name, broken.filter((one) => one === name).length])),
    '',
    ...table(Object.entries({ turns, calls, proposals, commits, 'injected texts': injections, cases })),
    '',
    `${(turns / Math.max(seconds, 0.001)).toFixed(0)} turns per second`,
    ...totals.failures.toSorted((left, right) => left.seed - right.seed).flatMap(failureLines),
  ];
}

function table(rows: readonly (readonly [name: string, count: number])[]): readonly string[] {
  return rows.map(([name, count]) => `${String(count).padStart(9)}  ${name}`);
}

/** The problems of a case, and the command that replays it. */
export function failureLines({ seed, problems }: AdversaryTotals['failures'][number]): readonly string[] {
  const named = problems.map((problem) => `  ${promiseOf(problem)}: ${problem}`);
  return ['', `seed ${seed}:`, ...named, `  npm run adversary -- --seed ${seed} --trace`];
}
