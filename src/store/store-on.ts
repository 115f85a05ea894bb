import type { Backend } from './backend.ts';
import { budgetMethods } from './budgets.ts';
import { commitsWanted, postponeEffect, renewEffect } from './effects.ts';
import { groupCommit } from './group-commit.ts';
import { heldUntil, parkSignal, postponeSignal, unheardUntil } from './inbox.ts';
import { loadRun, refOf, transcript } from './load.ts';
import { nextDue } from './next-due.ts';
import { parked } from './parked.ts';
import { ping } from './ping.ts';
import { prune } from './prune.ts';
import { pullMethods } from './pull-methods.ts';
import { type Receipt, type Received, receive } from './receive.ts';
import { RememberedPulls } from './remembered-pulls.ts';
import { stepMethods } from './step-methods.ts';
import type { Delivery, Store } from './store.ts';
import { sweepMethods } from './sweeps.ts';
import { tellAll } from './tell-all.ts';
import { vacuum } from './vacuum.ts';
import { type Wakes, wakes } from './wakes.ts';

/** Deliveries of several callers that are stored together. */
const GROUP = 500;

/** The store on a database that has this version's form. */
export function storeOn(backend: Backend): Store {
  const { db } = backend;
  const { onWake, wake } = wakes(backend);
  const remembered = new RememberedPulls();
  return {
    ...receiving(backend, wake),
    ...sweepMethods(backend, wake),
    ...budgetMethods(db),
    ...pullMethods(backend, remembered, wake),
    ...stepMethods(backend, remembered, wake),
    loadRun: (pullKey, runId) => loadRun(db, pullKey, runId),
    refOf: (pullKey) => refOf(db, pullKey),
    transcript: (runId) => transcript(db, runId),
    heldUntil: (claim, now) => heldUntil(db, claim, now),
    commitsWanted: (pullKey) => commitsWanted(db, pullKey),
    unheardUntil: (claim, now) => unheardUntil(db, claim, now),
    postponeSignal: (claim, signal, notBefore, failure) => postponeSignal(db, claim, signal, notBefore, failure),
    parkSignal: (claim, signal, fault, sequel, now) => parkSignal(db, claim, signal, fault, sequel, now),
    parked: (most) => parked(db, most),
    renewEffect: (effect, now, leaseMs) => renewEffect(db, effect, now, leaseMs),
    postponeEffect: (effect, delay) => postponeEffect(db, effect, delay),
    nextDue: (now) => nextDue(backend, now),
    onWake,
    onCut: backend.onCut,
    tenure: backend.tenure,
    async prune(now) {
      const more = await prune(db, now);
      if (!more) await vacuum(backend);
      return more;
    },
    ping: () => ping(db),
    close: () => backend.close(),
  };
}

function receiving(backend: Backend, wake: Wakes['wake']): Pick<Store, 'receive' | 'tellAll'> {
  const receiveGroup = groupCommit<Received, Receipt>((received) => receive(backend, received), GROUP);
  return {
    async receive(deliveries: readonly Delivery[], now: number) {
      const receipts = await receiveGroup(deliveries.map((delivery) => ({ delivery, now })));
      const count = receipts.filter((receipt) => receipt === 'stored').length;
      if (count > 0) wake({ lane: 'pull', count });
      return receipts;
    },
    async tellAll(deliveryId, notice, now) {
      const receipt = await tellAll(backend.db, deliveryId, notice, now);
      if (receipt === 'stored') wake();
      return receipt;
    },
  };
}
