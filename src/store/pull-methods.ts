import { randomUUID } from 'node:crypto';
import type { Step } from '../run/step.ts';
import type { Backend } from './backend.ts';
import { claimPull, release, renew } from './claims.ts';
import { claimEffect } from './effects.ts';
import { load } from './load.ts';
import { RememberedPulls } from './remembered-pulls.ts';
import { save, saveDirect } from './save.ts';
import type { Place } from './save-at-once.ts';
import type { Claim, SaveResult, Store } from './store.ts';
import { isAnyones, type Wakes } from './wakes.ts';

type PullMethods = Pick<Store, 'claimPull' | 'renew' | 'release' | 'claimEffect' | 'load' | 'save' | 'saveDirect'>;

/** What the store has for working on one pull request after the other, and remembering those it worked on last. */
export function pullMethods(backend: Backend, wake: Wakes['wake']): PullMethods {
  const { db } = backend;
  const place: Place = { db, unchanged: new WeakSet() };
  const remembered = new RememberedPulls();

  /** What a saved step wants of the pull request's own lane is its holder's; other effects any worker may perform. */
  async function saving({ pullKey }: Claim, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const before = remembered.forget(pullKey);
    const result = await remembered.ifAnswered(pullKey, save());
    if (result !== 'saved') return result;
    const { run, proposals } = step.pull;
    for (const stored of [...proposals, ...(run === null ? [] : [run])]) place.unchanged.add(stored);
    remembered.saved(pullKey, step.pull, before);
    const count = step.effects.filter(isAnyones).length;
    if (count > 0) wake({ lane: 'free', count });
    return result;
  }

  return {
    async claimPull(worker, now, leaseMs) {
      const claimed = await claimPull(backend, worker, now, leaseMs);
      if (claimed !== null) remembered.claimed(claimed.claim.pullKey, claimed.mark);
      return claimed?.claim ?? null;
    },
    renew: (claim, now, leaseMs) => renew(db, claim, now, leaseMs),
    async release(claim) {
      const mark = randomUUID();
      if (await remembered.ifAnswered(claim.pullKey, release(db, claim, mark)))
        remembered.released(claim.pullKey, mark);
      else remembered.lost(claim.pullKey);
    },
    async claimEffect(worker, now, leaseMs) {
      const effect = await claimEffect(backend, worker, now, leaseMs);
      // Somebody else may have wanted it, who holds the pull request by now: its performer has to see that.
      if (effect !== null && !backend.embedded) remembered.forget(effect.pullKey);
      return effect;
    },
    async load(pullKey, named) {
      const since = remembered.version(pullKey);
      const found = remembered.find(pullKey, named);
      if (found !== null) return found;
      const pull = await load(db, place.unchanged, pullKey, named);
      remembered.loaded(pullKey, pull, since);
      return pull;
    },
    save: (claim, signal, step, now) => saving(claim, step, () => save(place, claim, signal, step, now)),
    saveDirect: (claim, _signal, step, now) => saving(claim, step, () => saveDirect(place, claim, step, now)),
  };
}
