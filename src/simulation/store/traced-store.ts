import type { Signal } from '../../run/signal.ts';
import type { Step } from '../../run/step.ts';
import type { Claim, SaveResult, Store } from '../../store/store.ts';
import { statesOf, type Trace } from '../trace.ts';

/** The store, with everything that a checker must know of written down the moment it is stored. */
export function tracedStore(store: Store, trace: Trace): Store {
  async function saved(claim: Claim, signal: Signal, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const ids = step.pull.proposals.map(({ id }) => id);
    const before = statesOf(await store.load(claim.pullKey, { ids, commentId: null }));
    const result = await save();
    trace.add({ kind: 'saved', claim, signal, step, result, before });
    return result;
  }
  return {
    ...store,
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
    async claimPull(worker, now, leaseMs) {
      const claim = await store.claimPull(worker, now, leaseMs);
      if (claim !== null) trace.add({ kind: 'claimed', claim });
      return claim;
    },
    save: (claim, signal, step, now) => saved(claim, signal.signal, step, () => store.save(claim, signal, step, now)),
    saveDirect: (claim, signal, step, now) =>
      saved(claim, signal, step, () => store.saveDirect(claim, signal, step, now)),
    async nextEffect(claim, now) {
      const effect = await store.nextEffect(claim, now);
      if (effect !== null) trace.add({ kind: 'effect-begun', effect });
      return effect;
    },
    async claimEffect(worker, now, leaseMs) {
      const effect = await store.claimEffect(worker, now, leaseMs);
      if (effect !== null) trace.add({ kind: 'effect-begun', effect });
      return effect;
    },
    async finishEffect(effect, outcome, now) {
      await store.finishEffect(effect, outcome, now);
      trace.add({ kind: 'effect-finished', effect });
    },
  };
}
