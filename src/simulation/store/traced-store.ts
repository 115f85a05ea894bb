import type { Signal } from '../../run/signal.ts';
import type { Step } from '../../run/step.ts';
import type { Claim, Claimed, SaveResult, Store, StoredEffect } from '../../store/store.ts';
import { statesOf, type Trace } from '../trace.ts';

/** The store, with everything that a checker must know of written down the moment it is stored. */
export function tracedStore(store: Store, trace: Trace): Store {
  async function saved(claim: Claim, signal: Signal, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const ids = step.pull.proposals.map(({ id }) => id);
    const before = statesOf(await store.load(claim.pullKey, { ids, commentId: null }));
    const result = await save();
    const whether = typeof result === 'object' ? 'saved' : result;
    trace.add({ kind: 'saved', claim, signal, step, result: whether, before });
    return result;
  }
  function claimed(claim: Claimed | null): Claimed | null {
    if (claim !== null) trace.add({ kind: 'claimed', claim });
    return claim;
  }
  function begun(effect: StoredEffect | null): StoredEffect | null {
    if (effect !== null) trace.add({ kind: 'effect-begun', effect });
    return effect;
  }
  return {
    ...store,
    ...tracedIntake(store, trace),
    claimPull: async (worker, now, leaseMs) => claimed(await store.claimPull(worker, now, leaseMs)),
    async save(claim, signal, step, now, ending) {
      const result = await saved(claim, signal.signal, step, () => store.save(claim, signal, step, now, ending));
      if (typeof result === 'object') begun(result.effect);
      return result;
    },
    saveDirect: (claim, signal, step, now) =>
      saved(claim, signal, step, () => store.saveDirect(claim, signal, step, now)),
    async nextWork(claim, now) {
      const work = await store.nextWork(claim, now);
      if (work?.kind === 'effect') begun(work.effect);
      return work;
    },
    claimEffect: async (worker, now, leaseMs) => begun(await store.claimEffect(worker, now, leaseMs)),
    async finishEffect(effect, outcome, now, lease) {
      const claim = await store.finishEffect(effect, outcome, now, lease);
      trace.add({ kind: 'effect-finished', effect });
      return claimed(claim);
    },
  };
}

function tracedIntake(store: Store, trace: Trace): Pick<Store, 'receive' | 'tellAll'> {
  return {
    async receive(deliveries, now) {
      const receipts = await store.receive(deliveries, now);
      for (const [place, delivery] of deliveries.entries())
        trace.add({ kind: 'received', delivery, receipt: receipts[place] ?? 'duplicate' });
      return receipts;
    },
    async tellAll(deliveryId, notice, now) {
      const receipt = await store.tellAll(deliveryId, notice, now);
      trace.add({ kind: 'told', notice, receipt });
      return receipt;
    },
  };
}
