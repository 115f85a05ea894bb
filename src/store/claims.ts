import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Asking, Backend } from './backend.ts';
import { isHeldBy } from './held-by.ts';
import { type SignalRow, storedSignal } from './next-work.ts';
import type { Claim, Claimed } from './store.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';
import { takeableEffects, takeableSignals } from './takeable.ts';

/** A claim, and the mark that stood in the row before its own. */
export type Marked = { readonly claim: Claimed; readonly before: string | null };

type Row = { pull_key: string; fence: number; before: string | null } & {
  [column in keyof SignalRow]: SignalRow[column] | null;
};

/**
 * Claims the free pull request whose due work is oldest, and raises its fencing number.
 * A row that another claimer is just taking is skipped, so that any number may ask at once and one gets it (G6);
 * one that deliveries are just stored for is not. It need not be on disk before anybody works under it: a server that
 * dies may forget it and give its number to another, but that one has another mark.
 */
export async function claimPull(
  { db, ...asking }: Pick<Backend, 'db'> & Asking,
  worker: string,
  now: number,
  leaseMs: number,
): Promise<Marked | null> {
  const leaseUntil = now + leaseMs;
  const mark = newMark(worker);
  const { rows } = await sql<Row>`
    with oldest_signal as (
      select pulls.pull_key, pulls.worker as before, inbox.not_before ${takeableSignals(asking, now)}
      limit 1 for no key update of pulls skip locked
    ), oldest_effect as (
      select pulls.pull_key, pulls.worker as before, effects.not_before ${takeableEffects(asking, now)}
      limit 1 for no key update of pulls skip locked
    ), next as materialized (
      select * from (select * from oldest_signal union all select * from oldest_effect) as work order by not_before limit 1
    ), claimed as (
      update pulls
      set fence = fence + 1, lease_until = ${leaseUntil}, leased_by = ${asking.holder}, worker = ${mark}
      where pull_key = (select pull_key from next) and ${SYNCED_LATER}
      returning pull_key, fence, held_until
    )
    select claimed.pull_key, claimed.fence, (select before from next) as before, signal.*
    from claimed left join lateral (
      select id, signal, received_at, attempts, faults from inbox
      where inbox.pull_key = claimed.pull_key and done_at is null and not_before <= ${now}
        and (kind = 'outcome' or claimed.held_until <= ${now})
        and exists (select from oldest_signal where oldest_signal.pull_key = claimed.pull_key)
      order by kind desc, id limit 1
    ) as signal on true
  `.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  const { pull_key: pullKey, fence, before } = row;
  const first = isWhole(row) ? storedSignal(row) : null;
  return { claim: { pullKey, fence, mark, leaseUntil, first }, before };
}

/** What tells a claim from all others, for as long as it holds; operators see whose it is. */
export function newMark(worker: string): string {
  return `${worker}/${randomUUID()}`;
}

function isWhole(row: Row): row is Row & SignalRow {
  return row.id !== null && row.signal !== null;
}

/** Extends the lease to `now + leaseMs`; false once the claim is lost. */
export async function renew(db: Kysely<Tables>, claim: Claim, now: number, leaseMs: number): Promise<boolean> {
  const result = await db
    .updateTable('pulls')
    .set({ lease_until: now + leaseMs })
    .where(isHeldBy(claim))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Gives the pull request back, with a mark that stands until somebody claims it; false where it was lost already. The
 * fence rises, so that the claim is void for its former holder too.
 */
export async function release(db: Kysely<Tables>, claim: Claim, mark: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pulls')
    .set({ fence: claim.fence + 1, lease_until: null, leased_by: null, worker: mark })
    .where(isHeldBy(claim))
    .where(SYNCED_LATER)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Runs `work` in one transaction with the pull request's row locked, so that two holders can never interleave.
 * Gives `lost`, and writes nothing, where the row is no longer the claim's (G7). Deliveries go on being stored.
 */
export function whileHeld<T, Lost>(
  db: Kysely<Tables>,
  claim: Claim,
  lost: Lost,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T | Lost> {
  return whileLocked(db, lost, (transaction) => rowOf(transaction, claim).forNoKeyUpdate(), work);
}

/**
 * The same, and no delivery about the pull request is stored meanwhile: `work` sees each that was, and `receive` keeps
 * the others waiting until all of this is committed (B14). All receivers wait, so `work` must be short, and must wait
 * for nothing that a receiver may hold.
 */
export function whileAlone<T, Lost>(
  db: Kysely<Tables>,
  claim: Claim,
  lost: Lost,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T | Lost> {
  return whileLocked(db, lost, (transaction) => rowOf(transaction, claim).forUpdate(), work);
}

function whileLocked<T, Lost>(
  db: Kysely<Tables>,
  lost: Lost,
  lock: (transaction: Transaction<Tables>) => ReturnType<typeof rowOf>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T | Lost> {
  return db.transaction().execute(async (transaction) => {
    const held = await lock(transaction).executeTakeFirst();
    return held === undefined ? lost : work(transaction);
  });
}

/** The pull request's row, as long as it is the claim's. */
function rowOf(transaction: Transaction<Tables>, claim: Claim) {
  return transaction.selectFrom('pulls').select('fence').where(isHeldBy(claim));
}
