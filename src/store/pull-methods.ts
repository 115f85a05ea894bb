import { randomUUID } from 'node:crypto';
import type { Backend } from './backend.ts';
import { claimPull, type Marked, release, renew } from './claims.ts';
import { claimEffect, finishEffect } from './effects.ts';
import { finishAndClaim } from './finish-and-claim.ts';
import { nextWork } from './next-work.ts';
import type { RememberedPulls } from './remembered-pulls.ts';
import type { Claim, Claimed, Store } from './store.ts';
import { isAnyones, type Wakes } from './wakes.ts';

type PullMethods = Pick<Store, 'claimPull' | 'renew' | 'release' | 'nextWork' | 'claimEffect' | 'finishEffect'>;

/** How the store gives out pull requests and effects, and takes them back. */
export function pullMethods(backend: Backend, remembered: RememberedPulls, wake: Wakes['wake']): PullMethods {
  const { db } = backend;

  function noted({ claim, before }: Marked): Claimed {
    remembered.claimed(claim.pullKey, before);
    return claim;
  }

  async function giveBack(claim: Claim): Promise<void> {
    const mark = randomUUID();
    if (await remembered.ifAnswered(claim.pullKey, release(db, claim, mark))) remembered.released(claim.pullKey, mark);
    else remembered.lost(claim.pullKey);
  }

  return {
    async claimPull(worker, now, leaseMs) {
      if (backend.tenure() === null) return null;
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
      if (backend.tenure() === null) return null;
      const effect = await claimEffect(backend, worker, now, leaseMs);
      // Somebody else may have wanted it, who holds the pull request by now: its performer has to see that.
      if (effect !== null && !backend.embedded) remembered.forget(effect.pullKey);
      return effect;
    },
    async finishEffect(effect, outcome, now, lease) {
      if (outcome === null || lease === undefined || backend.tenure() === null) {
        const finished = await finishEffect(db, effect, outcome, now);
        if (finished && outcome !== null && isAnyones(effect.effect)) wake({ lane: 'pull', count: 1 });
        return null;
      }
      const finished = await finishAndClaim(backend, effect, outcome, now, lease);
      if (finished?.marked) return noted(finished.marked);
      if (finished !== null) wake({ lane: 'pull', count: 1 });
      return null;
    },
  };
}
