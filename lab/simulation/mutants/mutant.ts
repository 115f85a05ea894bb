import type { Store } from '../../../src/adapters/store/store.ts';
import type { GitHub } from '../../../src/core/state/ports.ts';
import type { PullState } from '../../../src/core/state/run.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import type { StoreInvariants } from '../memory-store/tables.ts';
import type { CaseFixture } from '../world/fixture.ts';
import type { SimulatedGitHub } from '../world/simulated-github.ts';

/** A mistake that the product must not make, put in its place on purpose: the simulation has to notice it. */
export type Mutant = {
  readonly name: string;
  readonly brokenPromise: string;
  readonly createOverrides: () => Overrides;
};

/** A store with some methods replaced. */
export function overrideStore(change: (store: Store) => Partial<Store>): Overrides {
  return { store: (given) => ({ ...given, ...change(given) }) };
}

/** A store that reads pull requests otherwise than they were stored. */
export function overridePulls(change: (pull: PullState) => PullState): Overrides {
  return overrideStore(({ load }) => ({ load: async (key, named) => change(await load(key, named)) }));
}

/** A GitHub with some methods replaced. */
export function overrideGitHub(
  change: (...given: Parameters<NonNullable<Overrides['github']>>) => Partial<GitHub>,
): Overrides {
  return { github: (given, simulatedGitHub, fixture) => ({ ...given, ...change(given, simulatedGitHub, fixture) }) };
}

/** What is put in place of the product's own behaviour, to see whether the simulation notices. */
export type Overrides = {
  readonly store?: (store: Store) => Store;
  readonly github?: (github: GitHub, simulatedGitHub: SimulatedGitHub, fixture: CaseFixture) => GitHub;
  /** What a process works with, ports and all. */
  readonly context?: (context: WorkerContext) => WorkerContext;
  /** Every case has an owner who suspends the App again and again, because few cases have one otherwise. */
  readonly suspendsOften?: true;
  /** Every case has at least two processes whose connections break again and again. */
  readonly disconnectsOften?: true;
  /** A store in memory that lacks a law. */
  readonly invariants?: StoreInvariants;
};
