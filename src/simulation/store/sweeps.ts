import { coalescingKey, type Effect } from '../../run/effect.ts';
import type { Store, SweepProgress, SweepTurn } from '../../store/store.ts';
import { wantEffect } from './save.ts';
import { isFree, type PullRow, type SweepRow, type Tables } from './tables.ts';

/** What the store has for looking after lost webhooks, in memory. */
export function sweepMethods(
  tables: Tables,
  holder: number,
  wake: () => void,
): Pick<Store, 'knownDeliveries' | 'activePulls' | 'catchUpAll' | 'beginSweep' | 'endSweep' | 'heartbeat'> {
  return {
    knownDeliveries: async (ids) => new Set(ids.filter((id) => tables.deliveryIds.has(id) || tables.notices.has(id))),
    activePulls: async () =>
      [...tables.pulls.values()].flatMap(({ active, state: { ref } }) =>
        active ? [{ repositoryId: ref.repositoryId, number: ref.number }] : [],
      ),
    catchUpAll: async (since, now, pauseMs) => {
      const count = wantCatchUps(tables, [...tables.pulls.values()], since, now, pauseMs);
      if (count > 0) wake();
      return count;
    },
    beginSweep: async (now, leaseMs, early) => begin(tables, { until: now + leaseMs, holder }, now, early),
    endSweep: async ({ fence }, progress, nextAt) => {
      const row = tables.sweep;
      if (row?.fence === fence) tables.sweep = { ...settle(row, progress), nextAt, lease: null };
    },
    heartbeat: async (at, last) => {
      const row = tables.sweep ?? NONE;
      const remembered = row.aliveUntil ?? row.heardUntil;
      const isUnsure = remembered !== null && (last === null || remembered < last);
      const doubt = isUnsure
        ? { since: Math.min(row.doubt?.since ?? remembered, remembered), until: Math.max(row.doubt?.until ?? at, at) }
        : row.doubt;
      tables.sweep = { ...row, aliveUntil: Math.max(row.aliveUntil ?? at, at), doubt };
    },
  };
}

const NONE: SweepRow = { fence: 0, heardUntil: null, nextAt: 0, lease: null, aliveUntil: null, doubt: null };

function settle(row: SweepRow, { until, doubt }: SweepProgress): SweepRow {
  if (until === null) return row;
  const heardUntil = Math.max(row.heardUntil ?? until, until);
  if (row.doubt === null || row.doubt.until !== doubt?.until) return { ...row, heardUntil };
  const { since } = row.doubt;
  return {
    ...row,
    heardUntil,
    doubt: row.doubt.until <= until ? null : { ...row.doubt, since: Math.max(since, until) },
  };
}

function begin(
  tables: Tables,
  lease: { readonly until: number; readonly holder: number },
  now: number,
  early: boolean,
): SweepTurn | null {
  const row = tables.sweep ?? NONE;
  if (!isFree(tables, row.lease, now) || !(early || row.nextAt <= now)) return null;
  tables.sweep = { ...row, fence: row.fence + 1, lease };
  return { fence: row.fence + 1, heardUntil: row.heardUntil, doubt: row.doubt };
}

/** Wants of each of these where something goes on that it catches up, one after the other; how many they are. */
export function wantCatchUps(
  tables: Tables,
  pulls: readonly PullRow[],
  since: string | null,
  now: number,
  pauseMs: number,
): number {
  const effectOf = (row: PullRow): Effect => ({ type: 'catch-up', since: since ?? row.goesOnSince, expiring: false });
  const rows = pulls.filter((row) => {
    const key = coalescingKey(effectOf(row));
    return (row.active || row.waiting.length > 0) && !row.wanted.some((one) => one.coalescingKey === key && !one.begun);
  });
  const inOrder = rows.toSorted((left, right) => (left.key < right.key ? -1 : 1));
  for (const [place, row] of inOrder.entries()) {
    wantEffect(tables, row, effectOf(row), now);
    const added = row.wanted.at(-1);
    if (added !== undefined) added.notBefore = now + place * pauseMs;
  }
  return rows.length;
}
