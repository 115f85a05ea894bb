import { DELIVERY_RETENTION_MS, RUN_RETENTION_MS, UNINSTALL_GRACE_MS } from '../../../src/adapters/store/cleanup.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { InstallationEvent } from '../../../src/core/state/intent.ts';
import { DAY_MS } from '../../../src/core/state/limits.ts';
import { isOpen } from '../../../src/core/state/proposal-lifecycle.ts';
import { ONCE_IN_REPOSITORY } from '../../../src/core/step/effects.ts';
import type { Signal } from '../../../src/core/step/signals.ts';
import {
  addSignal,
  clearAttempt,
  isLeaseFree,
  type MemoryPullRow,
  type MemoryTables,
  notifyListeners,
} from './tables.ts';

/** The store methods for the recovery of lost webhooks. */
export function memoryRecoveryMethods(
  tables: MemoryTables,
): Pick<Store, 'findKnownDeliveries' | 'voidVotes' | 'beginRecovery' | 'endRecovery'> {
  const { recovery } = tables;
  return {
    findKnownDeliveries: async (ids) =>
      new Set(ids.filter((id) => tables.deliveryIds.has(id) || tables.installationEvents.has(id))),
    voidVotes: async (now) => {
      signalActive(tables, [...tables.pulls.values()], WEBHOOKS_LOST, now);
      notifyListeners(tables);
    },
    beginRecovery: async (now, intervalMs, isEarly) => {
      if (!isEarly && recovery.nextLookAt > now) return null;
      recovery.nextLookAt = now + intervalMs;
      return { recoveredUntil: recovery.recoveredUntil };
    },
    endRecovery: async (until) => {
      recovery.recoveredUntil = Math.max(recovery.recoveredUntil ?? until, until);
    },
  };
}

const WEBHOOKS_LOST: Signal = { type: 'dead-lettered', errorId: null };

/** Stores an installation event and applies it to the affected pull requests. */
export function applyInstallationEvent(
  tables: MemoryTables,
  deliveryId: string,
  event: InstallationEvent,
  now: number,
): 'stored' | 'duplicate' {
  if (tables.installationEvents.has(deliveryId)) return 'duplicate';
  const uninstalled = event.kind === 'access-lost' && event.cause === 'uninstalled' ? event.installationId : null;
  tables.installationEvents.set(deliveryId, { receivedAt: now, uninstalled });
  const affected = [...tables.pulls.values()].filter((row) => isAffected(row, event));
  signalActive(
    tables,
    affected,
    event.kind === 'access-lost' ? { type: 'access-lost', cause: event.cause } : WEBHOOKS_LOST,
    now,
  );
  return 'stored';
}

function isAffected({ state: { ref } }: MemoryPullRow, { installationId, repositoryIds }: InstallationEvent): boolean {
  return ref.installationId === installationId && (repositoryIds?.includes(ref.repositoryId) ?? true);
}

function signalActive(tables: MemoryTables, affected: readonly MemoryPullRow[], signal: Signal, now: number): void {
  for (const row of affected) {
    if (!(row.isActive || row.pendingSignals.length > 0 || row.pendingEffects.length > 0)) continue;
    addSignal(tables, row, signal, { kind: 'effect-result', deliveryId: null, now });
  }
}

/** Deletes all expired rows. Always false, because nothing is left for another call. */
export function deleteExpiredRows(tables: MemoryTables, now: number): false {
  for (const row of tables.pulls.values()) {
    deleteOldDeliveries(tables, row, now);
    deleteOldEffects(row, now);
    deleteOldRuns(tables, row, now);
    deleteOldAnswers(tables, row, now);
  }
  for (const [id, { receivedAt }] of tables.installationEvents)
    if (receivedAt < now - DELIVERY_RETENTION_MS) tables.installationEvents.delete(id);
  tables.runStarts = tables.runStarts.filter(({ startedAt }) => startedAt > now - DAY_MS);
  deleteUninstalled(tables, now);
  return false;
}

function deleteOldDeliveries(tables: MemoryTables, row: MemoryPullRow, now: number): void {
  const isKept = ({ doneAt, deadLettered }: MemoryPullRow['inbox'][number]): boolean =>
    doneAt === null || doneAt >= now - (deadLettered ? RUN_RETENTION_MS : DELIVERY_RETENTION_MS);
  for (const { deliveryId, contentKey } of row.inbox.filter((delivery) => !isKept(delivery))) {
    if (deliveryId !== null) tables.deliveryIds.delete(deliveryId);
    if (contentKey !== null) tables.contentKeys.delete(contentKey);
  }
  row.inbox = row.inbox.filter(isKept);
}

function deleteOldAnswers(tables: MemoryTables, row: MemoryPullRow, now: number): void {
  const newest = row.state.answeredQuestions.at(-1)?.answeredAt;
  if (newest === undefined || !isLeaseFree(tables, row.leaseUntil, now)) return;
  if (Date.parse(newest) < now - RUN_RETENTION_MS) row.state = { ...row.state, answeredQuestions: [] };
}

function deleteOldEffects(row: MemoryPullRow, now: number): void {
  row.effects = row.effects.filter(({ doneAt, effect }) => {
    const onceKey = effect.type === 'reply' ? effect.onceKey : null;
    if (doneAt === null || doneAt >= now - DELIVERY_RETENTION_MS || onceKey?.startsWith(ONCE_IN_REPOSITORY))
      return true;
    if (onceKey !== null) row.onceKeys.delete(onceKey);
    return false;
  });
}

/** Deletes expired runs, unless the pull request has pending work or is claimed. */
function deleteOldRuns(tables: MemoryTables, row: MemoryPullRow, now: number): void {
  if (row.pendingSignals.length > 0 || row.pendingEffects.length > 0 || !isLeaseFree(tables, row.leaseUntil, now))
    return;
  for (const [runId, { pullKey, updatedAt }] of tables.runs) {
    const proposals = [...row.proposals.values()].filter(({ proposal }) => proposal.runId === runId);
    const isKept = proposals.some(
      ({ updatedAt: changedAt, proposal }) => changedAt >= now - RUN_RETENTION_MS || isOpen(proposal),
    );
    const isCurrent = row.isActive && row.runId === runId;
    if (pullKey === row.key && updatedAt < now - RUN_RETENTION_MS && !isKept && !isCurrent)
      deleteRun(tables, row, runId);
  }
}

function deleteRun(tables: MemoryTables, row: MemoryPullRow, runId: string): void {
  for (const [id, { proposal }] of row.proposals) if (proposal.runId === runId) redactProposal(row, id);
  row.answers = row.answers.map((one) => (one.runId === runId ? { ...one, answer: null } : one));
  tables.messages.delete(runId);
  tables.runs.delete(runId);
  if (!tables.invariants.keepsLedger) row.committedChanges.length = 0;
  if (row.runId === runId) row.runId = null;
}

/** Deletes the proposal, and the text of its votes and outcome. The ledger keeps the rest. */
function redactProposal(row: MemoryPullRow, id: string): void {
  row.proposals.delete(id);
  row.votes = row.votes.map((vote) => (vote.proposalId === id ? { ...vote, text: null } : vote));
  const outcome = row.outcomes.get(id);
  if (outcome !== undefined) row.outcomes.set(id, { ...outcome, note: null });
}

/** Deletes all data of accounts that removed the App, except the ledger and delivery ids. */
function deleteUninstalled(tables: MemoryTables, now: number): void {
  const removed = [...tables.installationEvents.values()].flatMap(({ uninstalled, receivedAt }) =>
    receivedAt < now - UNINSTALL_GRACE_MS ? (uninstalled ?? []) : [],
  );
  for (const row of tables.pulls.values()) {
    if (!removed.includes(row.state.ref.installationId)) continue;
    for (const id of [...row.proposals.keys()]) redactProposal(row, id);
    for (const [runId, { pullKey }] of tables.runs) if (pullKey === row.key) deleteRun(tables, row, runId);
    tables.runStarts = tables.runStarts.filter(({ pullKey }) => pullKey !== row.key);
    row.state = { ...row.state, sideQuestions: [], answeredQuestions: [] };
    const inbox = row.inbox.filter(({ deliveryId }) => deliveryId !== null);
    const redactedInbox = inbox.map((delivery) => ({
      ...delivery,
      signal: null,
      error: null,
      deadLettered: false,
      doneAt: delivery.doneAt ?? now,
    }));
    for (const effect of row.pendingEffects) clearAttempt(effect);
    const emptied: Partial<MemoryPullRow> = {
      inbox: redactedInbox,
      pendingSignals: [],
      pendingEffects: [],
      effects: [],
      isActive: false,
    };
    Object.assign(row, emptied);
    tables.pulls.delete(row.key);
    tables.removedPulls.push(row);
  }
}
