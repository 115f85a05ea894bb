import { randomUUID } from 'node:crypto';
import { NONE_NAMED } from '../run/named-proposals.ts';
import type { Step } from '../run/step.ts';
import type { Backend } from './backend.ts';
import { load } from './load.ts';
import type { RememberedPulls } from './remembered-pulls.ts';
import { save, saveDirect } from './save.ts';
import type { Place, Saving } from './save-at-once.ts';
import type { Claim, Ending, SaveResult, Store } from './store.ts';
import { isAnyones, type Wakes } from './wakes.ts';

/** How the store reads pull requests and saves what was decided about them. */
export function stepMethods(
  { db, embedded, holder, tenure }: Backend,
  remembered: RememberedPulls,
  wake: Wakes['wake'],
): Pick<Store, 'load' | 'save' | 'saveDirect'> {
  const place: Place = { db, embedded, unchanged: new WeakSet() };

  /** What a saved step wants of the pull request's own lane is its holder's; other effects any worker may perform. */
  async function noting({ pullKey }: Claim, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const before = remembered.forget(pullKey);
    const result = await remembered.ifAnswered(pullKey, save());
    if (result === 'lost' || result === 'signals-waiting') return result;
    const { run, proposals } = step.pull;
    for (const stored of [...proposals, ...(run === null ? [] : [run])]) place.unchanged.add(stored);
    remembered.saved(pullKey, step.pull, before);
    const taken = result === 'saved' || result.effect === null ? 0 : 1;
    const count = step.effects.filter(isAnyones).length - taken;
    if (count > 0) wake({ lane: 'free', count });
    return result;
  }

  async function saveEnding(saving: Omit<Saving, 'parting'>, ending: Ending | null): Promise<SaveResult> {
    const { claim, step } = saving;
    const parting = ending && { lease: tenure() && ending.lease, mark: randomUUID(), holder };
    const result = await noting(claim, step, () => save(place, { ...saving, parting }));
    if (parting === null || typeof result === 'string') return result;
    const pull = result.effect === null ? null : remembered.find(claim.pullKey, NONE_NAMED);
    remembered.released(claim.pullKey, parting.mark);
    return pull === null ? result : { ...result, pull };
  }

  return {
    async load(pullKey, named) {
      const since = remembered.version(pullKey);
      const found = remembered.find(pullKey, named);
      if (found !== null) return found;
      const pull = await load(db, place.unchanged, pullKey, named);
      remembered.loaded(pullKey, pull, since);
      return pull;
    },
    save: (claim, signal, step, now, ending) => saveEnding({ claim, signal, step, now }, ending ?? null),
    saveDirect: (claim, _signal, step, now) => noting(claim, step, () => saveDirect(place, claim, step, now)),
  };
}
