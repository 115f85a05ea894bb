import { delayOf } from '../../core/step/effects.ts';
import type { Step } from '../../core/step/step.ts';
import { claimPull, releasePullClaim, renewPullClaim, takeNextWork } from './claims.ts';
import { deleteExpired } from './cleanup.ts';
import { findNextDueTimes } from './due-work.ts';
import { listEarlierRuns } from './earlier-runs.ts';
import { claimEffect, finishEffect, listPendingCommits, postponeEffect, renewEffect } from './effects.ts';
import type { Backend } from './engine/backend.ts';
import { requireSchema } from './engine/migrate.ts';
import { tidy } from './engine/pglite.ts';
import { inBatches } from './in-batches.ts';
import { deadLetterSignal, nextCommentAt, postponeSignal } from './inbox.ts';
import { loadPullState, loadRef, loadRun, loadTranscript } from './load.ts';
import { broadcastToPulls, type Receipt, type ReceivedDelivery, receive, rehearseReceive } from './receive.ts';
import { createRecoveryMethods } from './recovery-state.ts';
import { findReachedRunLimit } from './run-limits.ts';
import { type SaveTarget, save, saveIfInboxEmpty } from './save.ts';
import type { Claim, InterpretedDelivery, SaveResult, Store } from './store.ts';
import { createWorkNotifier, isConcurrent, type WorkNotifier } from './work-notifier.ts';

/** Creates the store on a database that has this version's schema. */
export function createStore(backend: Backend): Store {
  const { db } = backend;
  const notifier = createWorkNotifier(backend);
  return {
    ...createReceiveMethods(backend, notifier),
    ...createRecoveryMethods(backend, notifier.notify),
    ...createClaimMethods(backend, notifier),
    ...createSaveMethods(backend, notifier),
    loadRun: (pullRequestKey, runId) => loadRun(db, pullRequestKey, runId),
    findReachedRunLimit: (ref, start, now) => findReachedRunLimit(db, ref, start, now),
    listEarlierRuns: (pullRequestKey, runId, limit) => listEarlierRuns(db, pullRequestKey, runId, limit),
    loadRef: (pullRequestKey) => loadRef(db, pullRequestKey),
    loadTranscript: (runId) => loadTranscript(db, runId),
    nextCommentAt: (claim, now) => nextCommentAt(db, claim, now),
    listPendingCommits: (pullRequestKey) => listPendingCommits(db, pullRequestKey),
    postponeSignal: (claim, signal, notBefore, failure) => postponeSignal(db, claim, signal, notBefore, failure),
    deadLetterSignal: (claim, signal, report, followUp, now) =>
      deadLetterSignal(db, claim, signal, report, followUp, now),
    renewEffect: (effect, now, leaseMs) => renewEffect(db, effect, now, leaseMs),
    postponeEffect: (effect, retry) => postponeEffect(db, effect, retry),
    nextDue: (now) => findNextDueTimes(backend, now),
    onWorkAvailable: notifier.onWorkAvailable,
    onDisconnect: backend.onDisconnect,
    connectionEpoch: backend.connectionEpoch,
    async deleteExpired(now) {
      const hasMore = await deleteExpired(db, now);
      if (!hasMore) await tidy(backend);
      return hasMore;
    },
    ping: () => requireSchema(db),
    rehearseReceive: (now) => rehearseReceive(backend, now),
    close: () => backend.close(),
  };
}

/** Maximum number of deliveries that several callers store together. */
const MAX_BATCH = 500;

function createReceiveMethods(backend: Backend, { notify }: WorkNotifier): Pick<Store, 'receive' | 'broadcastToPulls'> {
  const receiveBatch = inBatches<ReceivedDelivery, Receipt>((received) => receive(backend, received), MAX_BATCH);
  return {
    async receive(deliveries: readonly InterpretedDelivery[], now: number) {
      const receipts = await receiveBatch(deliveries.map((delivery) => ({ delivery, now })));
      const count = receipts.filter((receipt) => receipt === 'stored').length;
      if (count > 0) notify({ lane: 'exclusive', count });
      return receipts;
    },
    async broadcastToPulls(deliveryId, event, now) {
      const receipt = await broadcastToPulls(backend.db, deliveryId, event, now);
      if (receipt === 'stored') notify();
      return receipt;
    },
  };
}

type ClaimMethods = Pick<
  Store,
  'claimPull' | 'renewClaim' | 'releaseClaim' | 'nextWork' | 'claimEffect' | 'finishEffect'
>;

function createClaimMethods(backend: Backend, { notify, flush }: WorkNotifier): ClaimMethods {
  const { db, connectionEpoch } = backend;
  return {
    claimPull: async (worker, now, leaseMs) =>
      connectionEpoch() === null ? null : claimPull(backend, worker, now, leaseMs),
    renewClaim: (claim, now, leaseMs) => renewPullClaim(db, claim, now, leaseMs),
    releaseClaim: (claim) => releasePullClaim(db, claim).finally(() => flush(claim.pullRequestKey)),
    async nextWork(claim, now) {
      const work = await takeNextWork(db, claim, now);
      flush(claim.pullRequestKey);
      return work;
    },
    claimEffect: async (worker, now, leaseMs) =>
      connectionEpoch() === null ? null : claimEffect(backend, worker, now, leaseMs),
    async finishEffect(effect, result, now) {
      const finished = await finishEffect(db, effect, result, now);
      if (finished && result !== null && isConcurrent(effect.effect)) notify({ lane: 'exclusive', count: 1 });
    },
  };
}

function createSaveMethods(
  { db }: Pick<Backend, 'db'>,
  { notifyLater }: WorkNotifier,
): Pick<Store, 'load' | 'save' | 'saveIfInboxEmpty'> {
  const target: SaveTarget = { db, savedObjects: new WeakSet() };

  /** Only concurrent effects need a notification: the holder of the claim handles the exclusive ones itself. */
  function afterSave({ pullRequestKey }: Claim, step: Step, result: SaveResult): SaveResult {
    if (result !== 'saved') return result;
    const { run, proposals } = step.pull;
    for (const saved of [...proposals, ...(run === null ? [] : [run])]) target.savedObjects.add(saved);
    const count = step.effects.filter((effect) => isConcurrent(effect) && delayOf(effect) === 0).length;
    if (count > 0) notifyLater(pullRequestKey, count);
    return result;
  }

  return {
    load: (pullRequestKey, named) => loadPullState(db, target.savedObjects, pullRequestKey, named),
    save: async (claim, signal, step, now) => afterSave(claim, step, await save(target, claim, signal, step, now)),
    saveIfInboxEmpty: async (claim, _signal, step, now) =>
      afterSave(claim, step, await saveIfInboxEmpty(target, claim, step, now)),
  };
}
