import { randomUUID } from 'node:crypto';
import { type Effect, LANES } from '../run/effect.ts';
import type { Step } from '../run/step.ts';
import type { Backend } from './backend.ts';
import { budgetMethods } from './budgets.ts';
import { claimPull, release, renew } from './claims.ts';
import { claimEffect, finishEffect, nextEffect, postponeEffect, renewEffect } from './effects.ts';
import { groupCommit } from './group-commit.ts';
import { heldUntil, nextSignal, parkSignal, postponeSignal } from './inbox.ts';
import { load, refOf, transcript } from './load.ts';
import { nextDue } from './next-due.ts';
import { parked } from './parked.ts';
import { ping } from './ping.ts';
import { prune } from './prune.ts';
import { type Receipt, type Received, receive } from './receive.ts';
import { RememberedPulls } from './remembered-pulls.ts';
import { save, saveDirect } from './save.ts';
import type { Place } from './save-at-once.ts';
import type { Claim, Delivery, SaveResult, Store } from './store.ts';
import { sweepMethods } from './sweeps.ts';
import { tellAll } from './tell-all.ts';
import { type Wakes, wakes } from './wakes.ts';

/** Deliveries of several callers that are stored together. */
const GROUP = 500;

/** The store on a database that has this version's form. */
export function storeOn(backend: Backend): Store {
  const { db } = backend;
  const place: Place = { db, unchanged: new WeakSet() };
  const { onWake, wake } = wakes(backend);
  const remembered = new RememberedPulls();

  /** What a saved step wants of the pull request's own lane is its holder's; other effects any worker may perform. */
  async function saving({ pullKey }: Claim, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const before = remembered.forget(pullKey);
    const result = await save();
    if (result !== 'saved') return result;
    const { run, proposals } = step.pull;
    for (const stored of [...proposals, ...(run === null ? [] : [run])]) place.unchanged.add(stored);
    remembered.saved(pullKey, step.pull, before);
    const count = step.effects.filter(isAnyones).length;
    if (count > 0) wake({ lane: 'free', count });
    return result;
  }

  return {
    ...receiving(db, wake),
    ...sweepMethods(backend, wake),
    ...budgetMethods(db),
    async claimPull(worker, now, leaseMs) {
      const claimed = await claimPull(backend, worker, now, leaseMs);
      if (claimed !== null) remembered.claimed(claimed.claim.pullKey, claimed.mark);
      return claimed?.claim ?? null;
    },
    renew: (claim, now, leaseMs) => renew(db, claim, now, leaseMs),
    async release(claim) {
      const mark = randomUUID();
      if (await release(db, claim, mark)) remembered.released(claim.pullKey, mark);
      else remembered.lost(claim.pullKey);
    },
    async load(pullKey, named) {
      const since = remembered.version(pullKey);
      const found = remembered.find(pullKey, named);
      if (found !== null) return found;
      const pull = await load(db, place.unchanged, pullKey, named);
      remembered.loaded(pullKey, pull, since);
      return pull;
    },
    refOf: (pullKey) => refOf(db, pullKey),
    transcript: (runId) => transcript(db, runId),
    nextSignal: (claim, now) => nextSignal(db, claim, now),
    heldUntil: (claim, now) => heldUntil(db, claim, now),
    save: (claim, signal, step, now) => saving(claim, step, () => save(place, claim, signal, step, now)),
    saveDirect: (claim, _signal, step, now) => saving(claim, step, () => saveDirect(place, claim, step, now)),
    postponeSignal: (claim, signal, notBefore, failure) => postponeSignal(db, claim, signal, notBefore, failure),
    parkSignal: (claim, signal, fault, sequel, now) => parkSignal(db, claim, signal, fault, sequel, now),
    parked: (most) => parked(db, most),
    nextEffect: (claim, now) => nextEffect(db, claim, now),
    renewEffect: (effect, now, leaseMs) => renewEffect(db, effect, now, leaseMs),
    claimEffect: (worker, now, leaseMs) => claimEffect(backend, worker, now, leaseMs),
    async finishEffect(effect, outcome, now) {
      const finished = await finishEffect(db, effect, outcome, now);
      if (finished && outcome !== null && isAnyones(effect.effect)) wake({ lane: 'pull', count: 1 });
    },
    postponeEffect: (effect, delay) => postponeEffect(db, effect, delay),
    nextDue: () => nextDue(backend),
    onWake,
    prune: (now) => prune(db, now),
    ping: () => ping(db),
    close: () => backend.close(),
  };
}

function receiving(db: Backend['db'], wake: Wakes['wake']): Pick<Store, 'receive' | 'tellAll'> {
  const receiveGroup = groupCommit<Received, Receipt>((received) => receive(db, received), GROUP);
  return {
    async receive(deliveries: readonly Delivery[], now: number) {
      const receipts = await receiveGroup(deliveries.map((delivery) => ({ delivery, now })));
      const count = receipts.filter((receipt) => receipt === 'stored').length;
      if (count > 0) wake({ lane: 'pull', count });
      return receipts;
    },
    async tellAll(deliveryId, notice, now) {
      const receipt = await tellAll(db, deliveryId, notice, now);
      if (receipt === 'stored') wake();
      return receipt;
    },
  };
}

function isAnyones(effect: Effect): boolean {
  return LANES[effect.type] === 'free';
}
