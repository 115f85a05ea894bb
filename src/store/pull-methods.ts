import { randomUUID } from 'node:crypto';
import type { Step } from '../run/step.ts';
import type { Backend } from './backend.ts';
import { claimPull, type Marked, release, renew } from './claims.ts';
import { claimEffect, finishAndClaim, finishEffect } from './effects.ts';
import { load } from './load.ts';
import { nextWork } from './next-work.ts';
import { RememberedPulls } from './remembered-pulls.ts';
import { save, saveDirect } from './save.ts';
import type { Place, Saving } from './save-at-once.ts';
import type { Claim, Claimed, Ending, SaveResult, Store } from './store.ts';
import { isAnyones, type Wakes } from './wakes.ts';

type PullMethods = Pick<
  Store,
  'claimPull' | 'renew' | 'release' | 'nextWork' | 'claimEffect' | 'finishEffect' | 'load' | 'save' | 'saveDirect'
>;

/** What the store has for working on one pull request after the other, and remembering those it worked on last. */
export function pullMethods(backend: Backend, wake: Wakes['wake']): PullMethods {
  const { db } = backend;
  const { embedded, holder } = backend;
  const place: Place = { db, embedded, unchanged: new WeakSet() };
  const remembered = new RememberedPulls();

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
    const parting = ending && { ...ending, mark: randomUUID(), holder };
    const result = await noting(claim, step, () => save(place, { ...saving, parting }));
    if (parting !== null && typeof result === 'object') remembered.released(claim.pullKey, parting.mark);
    return result;
  }

  function noted({ claim, mark }: Marked): Claimed {
    remembered.claimed(claim.pullKey, mark);
    return claim;
  }

  async function giveBack(claim: Claim): Promise<void> {
    const mark = randomUUID();
    if (await remembered.ifAnswered(claim.pullKey, release(db, claim, mark))) remembered.released(claim.pullKey, mark);
    else remembered.lost(claim.pullKey);
  }

  return {
    async claimPull(worker, now, leaseMs) {
      const claimed = await claimPull(backend, worker, now, leaseMs);
      return claimed === null ? null : noted(claimed);
    },
    renew: (claim, now, leaseMs) => renew(db, claim, now, leaseMs),
    release: giveBack,
    async nextWork(claim, now) {
      const work = await nextWork(db, claim, now);
      if (work === null) await giveBack(claim);
      return work;
    },
    async claimEffect(worker, now, leaseMs) {
      const effect = await claimEffect(backend, worker, now, leaseMs);
      // Somebody else may have wanted it, who holds the pull request by now: its performer has to see that.
      if (effect !== null && !backend.embedded) remembered.forget(effect.pullKey);
      return effect;
    },
    async finishEffect(effect, outcome, now, lease) {
      if (outcome === null || lease === undefined) {
        const finished = await finishEffect(db, effect, outcome, now);
        if (finished && outcome !== null && isAnyones(effect.effect)) wake({ lane: 'pull', count: 1 });
        return null;
      }
      const finished = await finishAndClaim(backend, effect, outcome, now, lease);
      if (finished?.marked) return noted(finished.marked);
      if (finished !== null) wake({ lane: 'pull', count: 1 });
      return null;
    },
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
