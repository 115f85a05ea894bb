import { sql } from 'kysely';
import type { Signal } from '../run/signal.ts';
import { type Asking, type Backend, isFree } from './backend.ts';
import { gateOf, HEAR } from './budgets.ts';
import { type Marked, newMark } from './claims.ts';
import { finishedCtes } from './effects.ts';
import type { Lease, StoredEffect } from './store.ts';
import { fromStored, toStored } from './stored-json.ts';

type FinishedRow = { readonly told: number; readonly fence: number | null; readonly before: string | null };

/**
 * Marks the effect done and stores what came of it, as `finishEffect` does; and claims the pull request along with it, where
 * that is free and no other outcome comes before. Its row is left alone where somebody is just taking it. Null where the
 * effect was done already; `marked` is null where only nothing was claimed.
 */
export async function finishAndClaim(
  { db, ...asking }: Pick<Backend, 'db'> & Asking,
  effect: StoredEffect,
  outcome: Signal,
  now: number,
  { worker, ms }: Lease,
): Promise<{ readonly marked: Marked | null } | null> {
  const leaseUntil = now + ms;
  const mark = newMark(worker);
  const { pullKey } = effect;
  const { rows } = await sql<FinishedRow>`
    with ${finishedCtes(effect, outcome, now)}, free as (
      select pulls.pull_key, pulls.worker as before
      from pulls left join budgets on budgets.installation_id = pulls.installation_id
      where pulls.pull_key = ${pullKey} and ${isFree('pulls', asking, now)} and ${gateOf(HEAR)} <= ${now}
        and not exists (select from inbox where pull_key = ${pullKey} and kind = 'outcome' and done_at is null)
      for no key update of pulls skip locked
    ), claimed as (
      update pulls
      set fence = fence + 1, lease_until = ${leaseUntil}, leased_by = ${asking.holder}, worker = ${mark}
      where pull_key = (select pull_key from free) and exists (select from done)
      returning fence
    )
    select told.id as told, (select fence from claimed) as fence, (select before from free) as before from told
  `.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  if (row.fence === null) return { marked: null };
  const signal = fromStored<Signal>(toStored(outcome));
  const first = { id: row.told, signal, receivedAt: now, attempts: 0, faults: 0 };
  return { marked: { claim: { pullKey, fence: row.fence, mark, leaseUntil, first }, before: row.before } };
}
