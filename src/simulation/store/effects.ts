import type { Reason } from '../../run/reason.ts';
import { type Signal, tellsOfCommit } from '../../run/signal.ts';
import type { Claimed, Delay, Lease, Store, StoredEffect } from '../../store/store.ts';
import { claimFor } from './holding.ts';
import { plain } from './parked.ts';
import { addSignal, type EffectRow, finish, idle, type PullRow, type Tables, wake } from './tables.ts';
import { claimEffect } from './work.ts';

type EffectMethods = Pick<Store, 'claimEffect' | 'renewEffect' | 'finishEffect' | 'postponeEffect'>;

/** What becomes of effects, in memory. */
export function effectMethods(tables: Tables, holder: number): EffectMethods {
  return {
    claimEffect: async (_worker, now, leaseMs) => claimEffect(tables, holder, now, leaseMs),
    renewEffect: async (stored, now, leaseMs) => {
      const [, effect] = effectRow(tables, stored);
      const mine = effect !== undefined && effect.doneAt === null && effect.attempts === stored.attempts;
      if (mine) effect.lease = { until: now + leaseMs, holder };
      return mine;
    },
    finishEffect: async (stored, outcome, now, lease) =>
      finishEffect(tables, stored, outcome, now, lease && { ...lease, holder }),
    postponeEffect: async (stored, delay) => postponeEffect(tables, stored, delay),
  };
}

function effectRow(tables: Tables, stored: StoredEffect): [PullRow | undefined, EffectRow | undefined] {
  const row = tables.pulls.get(stored.pullKey);
  return [row, row?.wanted.find((effect) => isIt(effect, stored))];
}

function isIt(row: EffectRow, { id, since }: StoredEffect): boolean {
  return row.id === id && row.createdAt === Date.parse(since);
}

/** Why effects are dropped that are under way. */
const DROPPED: Reason = 'access-lost';

/** What a dropped effect comes to know of a commit, once. */
function tellLate(tables: Tables, stored: StoredEffect, signal: Signal | null, now: number): void {
  const row = tables.pulls.get(stored.pullKey);
  const dropped = row?.effects.find((effect) => isIt(effect, stored) && effect.error === DROPPED);
  if (row === undefined || dropped === undefined || signal === null || !tellsOfCommit(signal)) return;
  dropped.error = null;
  addSignal(tables, row, signal, { kind: 'outcome', deliveryId: null, now });
}

function finishEffect(
  tables: Tables,
  stored: StoredEffect,
  outcome: Signal | null,
  now: number,
  lease: (Lease & { readonly holder: number }) | undefined,
): Claimed | null {
  const [row, effect] = effectRow(tables, stored);
  if (effect === undefined) tellLate(tables, stored, outcome, now);
  if (row === undefined || effect === undefined || !finish(row, effect, now)) return null;
  if (outcome === null) return null;
  addSignal(tables, row, outcome, { kind: 'outcome', deliveryId: null, now });
  const claimed = lease === undefined ? null : claimFor(tables, row, outcome, lease, now);
  if (claimed === null && effect.lane === 'free') wake(tables);
  return claimed;
}

function postponeEffect(
  tables: Tables,
  stored: StoredEffect,
  { now, notBefore, error, stoppedBy, signal }: Delay,
): void {
  const [row, effect] = effectRow(tables, stored);
  if (effect === undefined) tellLate(tables, stored, signal, now);
  if (row === undefined || effect === undefined || effect.attempts !== stored.attempts) return;
  idle(effect);
  effect.notBefore = notBefore;
  if (error !== null) effect.faults = stoppedBy === 'us' ? effect.faults + 1 : 0;
  if (stoppedBy === 'limit') effect.limited += 1;
  if (error !== null) effect.error = plain(error);
  if (signal !== null) addSignal(tables, row, signal, { kind: 'outcome', deliveryId: null, now });
}
