import type { Store, SweepTurn } from '../../store/store.ts';
import { isFree, type Tables } from './tables.ts';

/** What the store has for looking after lost webhooks, in memory. */
export function sweepMethods(
  tables: Tables,
  holder: number,
): Pick<Store, 'knownDeliveries' | 'activePulls' | 'beginSweep' | 'endSweep'> {
  return {
    knownDeliveries: async (ids) => new Set(ids.filter((id) => tables.deliveryIds.has(id) || tables.notices.has(id))),
    activePulls: async () =>
      [...tables.pulls.values()].flatMap(({ active, state: { ref } }) =>
        active ? [{ repositoryId: ref.repositoryId, number: ref.number }] : [],
      ),
    beginSweep: async (now, leaseMs, early) => begin(tables, { until: now + leaseMs, holder }, now, early),
    endSweep: async ({ fence }, heardUntil, nextAt) => {
      if (tables.sweep?.fence === fence) tables.sweep = { fence, heardUntil, nextAt, lease: null };
    },
  };
}

function begin(
  tables: Tables,
  lease: { readonly until: number; readonly holder: number },
  now: number,
  early: boolean,
): SweepTurn | null {
  const row = tables.sweep ?? { fence: 0, heardUntil: null, nextAt: 0, lease: null };
  if (!isFree(tables, row.lease, now) || !(early || row.nextAt <= now)) return null;
  tables.sweep = { ...row, fence: row.fence + 1, lease };
  return { fence: row.fence + 1, heardUntil: row.heardUntil };
}
