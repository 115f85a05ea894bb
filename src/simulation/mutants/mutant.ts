import type { Pull } from '../../run/run.ts';
import type { Store } from '../../store/store.ts';
import type { GitHub } from '../../worker/ports.ts';
import type { Bend } from '../case.ts';

/** A mistake that the product must not make, put in its place on purpose: the simulation has to notice it. */
export type Mutant = { readonly name: string; readonly lacks: string; readonly bend: () => Bend };

/** A store with some methods replaced. */
export function store(change: (store: Store) => Partial<Store>): Bend {
  return { store: (given) => ({ ...given, ...change(given) }) };
}

/** A store that reads pull requests otherwise than they were stored. */
export function otherPulls(change: (pull: Pull) => Pull): Bend {
  return store(({ load }) => ({ load: async (key, named) => change(await load(key, named)) }));
}

/** A GitHub with some methods replaced. */
export function github(change: (...given: Parameters<NonNullable<Bend['github']>>) => Partial<GitHub>): Bend {
  return { github: (given, hub, scene) => ({ ...given, ...change(given, hub, scene) }) };
}
