import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../src/adapters/store/engine/migrate.ts';
import { createPgliteBackend, PGLITE_OPTIONS } from '../../src/adapters/store/engine/pglite.ts';
import type { Backend } from '../../src/adapters/store/engine/schema.ts';
import { playCase } from './case.ts';
import { checkCase } from './checks/check-case.ts';
import type { CheckedCase, PlayedCase } from './checks/evidence.ts';
import { playHostileCase } from './hostile-case.ts';
import type { Mutant, Overrides } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { type CaseDatabase, createBackendDatabase, createMemoryDatabase } from './world/database.ts';

/** Plays and checks one case. */
export async function runCase(
  seed: number,
  database: CaseDatabase = createMemoryDatabase(),
  overrides: Overrides = {},
): Promise<CheckedCase> {
  const played = await playCase({ seed, database, overrides });
  return { played, problems: await checkCase(played) };
}

/** Plays and checks one case per seed, one after another. */
export async function runCases(
  seeds: Iterable<number>,
  openDatabase: () => Promise<CaseDatabase> | CaseDatabase = createMemoryDatabase,
  play: typeof runCase = runCase,
): Promise<SimulationTotals> {
  let sum = NO_CASES;
  for (const seed of seeds) {
    const { played, problems } = await play(seed, await openDatabase());
    sum = sumTotals([sum, totalsOfCase(played, problems)]);
  }
  return sum;
}

/** `noticedBy` is the first problem that the checks found, or null. `caseCount` is the number of cases played. */
export type HuntFinding = { readonly caseCount: number; readonly noticedBy: string | null };

/** Plays cases with a mutant until a check fails, at most `maxCases`. */
export async function huntMutant(mutant: Mutant, firstSeed: number, maxCases: number): Promise<HuntFinding> {
  const play = mutant.hostile ? playHostileCase : runCase;
  for (let count = 0; count < maxCases; count += 1) {
    const overrides = mutant.createOverrides();
    const { problems } = await play(firstSeed + count, createMemoryDatabase(overrides.invariants), overrides);
    const [problem] = problems;
    if (problem !== undefined) return { caseCount: count + 1, noticedBy: problem };
  }
  return { caseCount: maxCases, noticedBy: null };
}

export type CountsByName = Readonly<Record<string, number>>;

/** Counts over many cases. Plain data, so that threads can send it. */
export type SimulationTotals = {
  readonly cases: number;
  readonly events: number;
  readonly commits: number;
  readonly faults: CountsByName;
  /** Decided signals by reason. */
  readonly reasons: CountsByName;
  /** State changes of proposals, such as `proposed to approved`. */
  readonly transitions: CountsByName;
  readonly failures: readonly FailedCase[];
};

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
      const previous = event.before.get(id);
      if (previous !== undefined && previous !== state) increment(transitions, `${previous} to ${state}`);
    }
  }
  const failures = problems.length === 0 ? [] : [{ seed, problems }];
  return { cases: 1, events: eventCount, commits, faults, reasons: Object.fromEntries(reasons), transitions, failures };
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export function sumTotals(parts: readonly SimulationTotals[]): SimulationTotals {
  const sumOf = (count: (totals: SimulationTotals) => number): number =>
    parts.reduce((sum, totals) => sum + count(totals), 0);
  return {
    cases: sumOf(({ cases }) => cases),
    events: sumOf(({ events }) => events),
    commits: sumOf(({ commits }) => commits),
    faults: sumCounts(parts.map(({ faults }) => faults)),
    reasons: sumCounts(parts.map(({ reasons }) => reasons)),
    transitions: sumCounts(parts.map(({ transitions }) => transitions)),
    failures: parts.flatMap(({ failures }) => failures),
  };
}

function sumCounts(all: readonly CountsByName[]): CountsByName {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, amount] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}

export type CaseJob = {
  readonly kind: 'case';
  readonly seed: number;
  readonly pglite: boolean;
  readonly hostile: boolean;
};

/** Names its mutant, because threads cannot send code. */
export type HuntJob = {
  readonly kind: 'hunt';
  readonly name: string;
  readonly firstSeed: number;
  readonly maxCases: number;
};

/** A message to a thread. */
export type SimulationJob = CaseJob | HuntJob;

/** Runs a job in this thread. */
export function runJob(job: SimulationJob): Promise<SimulationTotals | HuntFinding> {
  switch (job.kind) {
    case 'case':
      return runCaseJob(job);
    case 'hunt':
      return runHuntJob(job);
  }
}

/** The thread's PGlite in memory. Each case empties it first. */
let sharedBackend: Promise<Backend> | null = null;

async function runCaseJob({ seed, pglite, hostile }: CaseJob): Promise<SimulationTotals> {
  const play = hostile ? playHostileCase : runCase;
  if (!pglite) return runCases([seed], createMemoryDatabase, play);
  sharedBackend ??= openBackend();
  const backend = await sharedBackend;
  return runCases([seed], () => createBackendDatabase(backend), play);
}

async function openBackend(): Promise<Backend> {
  const pglite = await PGlite.create(PGLITE_OPTIONS);
  const backend = createPgliteBackend(pglite, () => pglite.close());
  await migrate(backend.db);
  return backend;
}

async function runHuntJob({ name, firstSeed, maxCases }: HuntJob): Promise<HuntFinding> {
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`There is no mutant ${name}`);
  return huntMutant(mutant, firstSeed, maxCases);
}
