import { ANY_NUMBER, type Store } from '../../../src/adapters/store/store.ts';
import type { CheckEvent } from '../../../src/core/state/checks.ts';
import type { InstallationEvent } from '../../../src/core/state/intent.ts';
import type { Signal } from '../../../src/core/step/signals.ts';
import { addSignal, type MemoryPullRow, type MemoryTables, notifyListeners } from './tables.ts';

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
      notifyListeners(tables, 'pull', ANY_NUMBER);
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
  tables.installationEvents.add(deliveryId);
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

/** Tells the pull requests whose look at the checks of this repository is not due yet. */
export function noticeChecks(tables: MemoryTables, { repositoryId, ...completed }: CheckEvent, now: number): boolean {
  const waiting = [...tables.pulls.values()].filter(
    ({ state, pendingEffects }) =>
      state.ref.repositoryId === repositoryId && pendingEffects.some(({ effect }) => effect.type === 'read-checks'),
  );
  for (const row of waiting)
    addSignal(tables, row, { type: 'checks-changed', ...completed }, { kind: 'effect-result', deliveryId: null, now });
  return waiting.length > 0;
}

function signalActive(tables: MemoryTables, affected: readonly MemoryPullRow[], signal: Signal, now: number): void {
  for (const row of affected) {
    if (!(row.isActive || row.pendingSignals.length > 0 || row.pendingEffects.length > 0)) continue;
    addSignal(tables, row, signal, { kind: 'effect-result', deliveryId: null, now });
  }
}
