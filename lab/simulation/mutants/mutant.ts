import type { Store } from '../../../src/adapters/store/store.ts';
import type { PullState } from '../../../src/core/state/pull-state.ts';
import type { GitHub } from '../../../src/core/step/ports.ts';
import type { Step } from '../../../src/core/step/step.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import type { StoreInvariants } from '../memory-store/tables.ts';
import type { Habit } from '../world/conversation.ts';
import type { CaseFixture } from '../world/fixture.ts';
import type { SimulatedGitHub } from '../world/simulated-github.ts';

/** A deliberate mistake. The checks must notice it. */
export type Mutant = {
  readonly name: string;
  /** Only a hostile model shows the mistake. */
  readonly hostile?: true;
  /** The promise that the mutant breaks. */
  readonly brokenPromise: string;
  readonly createOverrides: () => Overrides;
};

export function mutant(name: string, brokenPromise: string, createOverrides: () => Overrides): Mutant {
  return { name, brokenPromise, createOverrides };
}

/** A store with some methods replaced. */
export function overrideStore(change: (store: Store) => Partial<Store>): Overrides {
  return { store: (store) => ({ ...store, ...change(store) }) };
}

/** A store that changes each step before it is saved. */
export function overrideSteps(change: (step: Step) => Step): Overrides {
  return overrideStore(({ save, saveIfInboxEmpty }) => ({
    save: (claim, signal, step, now) => save(claim, signal, change(step), now),
    saveIfInboxEmpty: (claim, signal, step, now) => saveIfInboxEmpty(claim, signal, change(step), now),
  }));
}

/** A store that changes each pull request when it is loaded. */
export function overridePulls(change: (pull: PullState) => PullState): Overrides {
  return overrideStore(({ load }) => ({ load: async (key, include) => change(await load(key, include)) }));
}

/** A GitHub with some methods replaced. */
export function overrideGitHub(
  change: (...args: Parameters<NonNullable<Overrides['github']>>) => Partial<GitHub>,
): Overrides {
  return { github: (github, simulatedGitHub, fixture) => ({ ...github, ...change(github, simulatedGitHub, fixture) }) };
}

/** A GitHub that changes the text of the settings when they are read. */
export function overrideSettings(change: (text: string) => string): Overrides {
  return overrideGitHub(({ fetchSettingsFile }) => ({
    fetchSettingsFile: async () => {
      const found = await fetchSettingsFile();
      if (found?.kind !== 'file') return found;
      return { kind: 'file', bytes: Buffer.from(change(Buffer.from(found.bytes).toString())) };
    },
  }));
}

/** A GitHub that says of every account that it can write. */
export function letEverybodyWrite(): Overrides {
  return overrideGitHub(({ fetchPermission }) => ({
    fetchPermission: async (login) => ({ ...(await fetchPermission(login)), permission: 'write' }),
  }));
}

/** Replacements of parts of the App, and conditions in which their effect shows. */
export type Overrides = {
  readonly store?: (store: Store) => Store;
  readonly github?: (github: GitHub, simulatedGitHub: SimulatedGitHub, fixture: CaseFixture) => GitHub;
  readonly context?: (context: WorkerContext) => WorkerContext;
  /** In every case, not only in a few. */
  readonly habits?: readonly Habit[];
  /** The rules that the memory store enforces. */
  readonly invariants?: StoreInvariants;
};
