import type { AccessLoss, Notice } from '../../command/notice.ts';
import { CATCH_UP_PAUSE_MS } from '../../run/effect.ts';
import { wantCatchUps } from './sweeps.ts';
import { addSignal, type PullRow, type Tables } from './tables.ts';

/** What the store does with a notice, in memory. */
export function tellAll(tables: Tables, deliveryId: string, notice: Notice, now: number): 'stored' | 'duplicate' {
  if (tables.notices.has(deliveryId)) return 'duplicate';
  const uninstalled = notice.kind === 'access-lost' && notice.loss === 'uninstalled' ? notice.installationId : null;
  tables.notices.set(deliveryId, { receivedAt: now, uninstalled });
  const meant = [...tables.pulls.values()].filter((row) => isMeant(row, notice));
  if (notice.kind === 'access-lost') tellLost(tables, meant, notice.loss, now);
  else wantCatchUps(tables, meant, null, now, CATCH_UP_PAUSE_MS);
  return 'stored';
}

function isMeant({ state: { ref } }: PullRow, { installationId, repositoryIds }: Notice): boolean {
  return ref.installationId === installationId && (repositoryIds?.includes(ref.repositoryId) ?? true);
}

function tellLost(tables: Tables, meant: readonly PullRow[], loss: AccessLoss, now: number): void {
  for (const row of meant) {
    if (!(row.active || row.waiting.length > 0 || row.wanted.length > 0)) continue;
    addSignal(tables, row, { type: 'access-lost', loss }, { kind: 'outcome', deliveryId: null, now });
  }
}
