import { PGlite } from '@electric-sql/pglite';
import type { Backend } from '../../src/adapters/store/engine/backend.ts';
import { migrate } from '../../src/adapters/store/engine/migrate.ts';
import { createPgliteBackend, TYPE_PARSERS } from '../../src/adapters/store/engine/pglite.ts';
import { playCase } from './case.ts';
import { checkCase } from './checks/check-case.ts';
import type { PlayedCase } from './checks/evidence.ts';
import type { Mutant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { type CaseDatabase, createBackendDatabase, createMemoryDatabase } from './world/database.ts';

/** A case with what is wrong in it; nothing is in a good one. */
type CheckedCase = { readonly played: PlayedCase; readonly problems: readonly string[] };

/** Plays and checks one case; an exception of the product's own is a problem too. */
export async function runCase(seed: number, database: CaseDatabase = createMemoryDatabase()): Promise<CheckedCase> {
  const played = await playCase({ seed, database });
  return { played, problems: await checkCase(played) };
}

/** Plays cases of these seeds one after another. */
export async function runCases(
  seeds: Iterable<number>,
  open: () => Promise<CaseDatabase> | CaseDatabase = createMemoryDatabase,
): Promise<SimulationTotals> {
  let sum = NO_CASES;
  for (const seed of seeds) {
    const { played, problems } = await runCase(seed, await open());
    sum = sumTotals([sum, totalsOfCase(played, problems)]);
  }
  return sum;
}

/** Where a mutant was noticed: after so many cases, and by what; null where it never was. */
type HuntResult = { readonly mutant: Mutant; readonly caseCount: number; readonly noticedBy: string | null };

/** Plays cases with one mistake in place until it is noticed, at most so many. */
export async function huntMutant(mutant: Mutant, firstSeed: number, most: number): Promise<HuntResult> {
  for (let count = 0; count < most; count += 1) {
    const overrides = mutant.createOverrides();
    const played = await playCase({
      seed: firstSeed + count,
      database: createMemoryDatabase(overrides.invariants),
      overrides,
    });
    const [problem] = await checkCase(played);
    if (problem !== undefined) return { mutant, caseCount: count + 1, noticedBy: problem };
  }
  return { mutant, caseCount: most, noticedBy: null };
}

/** How often something happened, by its name. */
export type CountsByName = Readonly<Record<string, number>>;

/** What many cases came to. Plain data, so that threads can send it to each other. */
export type SimulationTotals = {
  readonly cases: number;
  readonly events: number;
  readonly commits: number;
  readonly faults: CountsByName;
  /** Reasons of decided signals. */
  readonly reasons: CountsByName;
  /** Steps of proposals, such as `proposed to approved`. */
  readonly transitions: CountsByName;
  readonly failures: readonly FailedCase[];
};

/** A case in which something was wrong, and what. */
export type FailedCase = { readonly seed: number; readonly problems: readonly string[] };

export const NO_CASES: SimulationTotals = {
  cases: 0,
  events: 0,
  commits: 0,
  faults: {},
  reasons: {},
  transitions: {},
  failures: [],
};

function totalsOfCase({ seed, trace, eventCount, reasons }: PlayedCase, problems: readonly string[]): SimulationTotals {
  const faults: Record<string, number> = {};
  const transitions: Record<string, number> = {};
  let commits = 0;
  for (const event of trace.events) {
    if (event.kind === 'fault') increment(faults, event.fault);
    if (event.kind === 'committed' && event.outcome.kind === 'committed') commits += 1;
    if (event.kind !== 'saved' || event.result !== 'saved') continue;
    for (const { id, state } of event.step.pull.proposals) {
      const was = event.before.get(id);
      if (was !== undefined && was !== state) increment(transitions, `${was} to ${state}`);
    }
  }
  const failures = problems.length === 0 ? [] : [{ seed, problems }];
  return { cases: 1, events: eventCount, commits, faults, reasons: Object.fromEntries(reasons), transitions, failures };
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export function sumTotals(tallies: readonly SimulationTotals[]): SimulationTotals {
  const numbers = (of: (totals: SimulationTotals) => number): number =>
    tallies.reduce((sum, totals) => sum + of(totals), 0);
  return {
    cases: numbers(({ cases }) => cases),
    events: numbers(({ events }) => events),
    commits: numbers(({ commits }) => commits),
    faults: sumCounts(tallies.map(({ faults }) => faults)),
    reasons: sumCounts(tallies.map(({ reasons }) => reasons)),
    transitions: sumCounts(tallies.map(({ transitions }) => transitions)),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

function sumCounts(all: readonly CountsByName[]): CountsByName {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, amount] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}

/** One case: its seed settles what happens in it, whoever plays it. */
export type CaseJob = { readonly kind: 'case'; readonly seed: number; readonly pglite: boolean };

/** One mutant, by its name, and the cases it is hunted in: `most` from seed `first` on. */
export type HuntJob = {
  readonly kind: 'hunt';
  readonly name: string;
  readonly firstSeed: number;
  readonly maxCases: number;
};

/** Plain data, so that threads can be told; mutants are code, which is never sent. */
export type SimulationJob = CaseJob | HuntJob;

export type HuntFinding = Pick<HuntResult, 'caseCount' | 'noticedBy'>;

/** Does a piece here and now. */
export function runJob(piece: SimulationJob): Promise<SimulationTotals | HuntFinding> {
  switch (piece.kind) {
    case 'case':
      return runCaseJob(piece);
    case 'hunt':
      return runHuntJob(piece);
  }
}

/** One PGlite in memory for as long as the thread lives, emptied for each case. */
let sharedBackend: Promise<Backend> | null = null;

async function runCaseJob({ seed, pglite }: CaseJob): Promise<SimulationTotals> {
  if (!pglite) return runCases([seed]);
  sharedBackend ??= openBackend();
  const backend = await sharedBackend;
  return runCases([seed], () => createBackendDatabase(backend));
}

async function openBackend(): Promise<Backend> {
  const pglite = await PGlite.create({ parsers: TYPE_PARSERS });
  const backend = await createPgliteBackend(pglite, () => pglite.close());
  await migrate(backend.db);
  return backend;
}

async function runHuntJob({ name, firstSeed, maxCases }: HuntJob): Promise<HuntFinding> {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`There is no mutant ${name}`);
  const { caseCount, noticedBy } = await huntMutant(mutant, firstSeed, maxCases);
  return { caseCount, noticedBy };
}
