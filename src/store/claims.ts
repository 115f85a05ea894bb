import { type Kysely, sql, type Transaction } from 'kysely';
import { type Backend, isFree } from './backend.ts';
import { EFFECT_RANK, gateOf, HEAR } from './budgets.ts';
import type { Claim } from './store.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';

/** A claim, and the mark that whoever held the pull request before left in its row. */
export type Claimed = { readonly claim: Claim; readonly mark: string | null };

/**
 * Claims the free pull request whose due work is oldest, and raises its fencing number.
 * A row that another claimer is just taking is skipped, so that any number may ask at once and one gets it (G6);
 * one that deliveries are just stored for is not. A fencing number must never be given twice: a server that dies may forget
 * it while its holder lives on, so it is on disk before anybody works under it.
 */
export async function claimPull(
  { db, holder, embedded }: Pick<Backend, 'db' | 'holder' | 'embedded'>,
  worker: string,
  now: number,
  leaseMs: number,
): Promise<Claimed | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<{ pull_key: string; fence: number; mark: string | null }>`
    with next as (
      select pulls.pull_key, pulls.worker as mark from (
        select inbox.pull_key, inbox.not_before, ${HEAR} as rank from (
          select pull_key, kind, min(not_before) as not_before from inbox
          where done_at is null and not_before <= ${now} group by pull_key, kind
        ) as inbox
        join pulls as owner on owner.pull_key = inbox.pull_key
        where inbox.kind = 'outcome' or owner.held_until <= ${now}
        union all
        select pull_key, not_before, ${EFFECT_RANK} as rank from effects
        where done_at is null and lane = 'pull' and not_before <= ${now}
      ) as work
      join pulls on pulls.pull_key = work.pull_key
      left join budgets on budgets.installation_id = pulls.installation_id
      where ${isFree('pulls', holder, now)} and ${gateOf(sql`work.rank`)} <= ${now}
      order by work.not_before
      limit 1
      for no key update of pulls skip locked
    )
    update pulls
    set fence = pulls.fence + 1, lease_until = ${leaseUntil}, leased_by = ${holder}, worker = ${worker}
    from next where pulls.pull_key = next.pull_key and ${embedded ? SYNCED_LATER : sql`true`}
    returning pulls.pull_key, pulls.fence, next.mark
  `.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  return { claim: { pullKey: row.pull_key, fence: row.fence, leaseUntil }, mark: row.mark };
}

/** Extends the lease to `now + leaseMs`; false once the claim is lost. */
export async function renew(db: Kysely<Tables>, claim: Claim, now: number, leaseMs: number): Promise<boolean> {
  const result = await db
    .updateTable('pulls')
    .set({ lease_until: now + leaseMs })
    .where('pull_key', '=', claim.pullKey)
    .where('fence', '=', claim.fence)
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
    .where('pull_key', '=', claim.pullKey)
    .where('fence', '=', claim.fence)
    .where(SYNCED_LATER)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Runs `work` in one transaction with the pull request's row locked, so that two holders can never interleave.
 * Gives `lost`, and writes nothing, where the claim's fence is no longer the row's (G7). Deliveries go on being stored.
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

/** The pull request's row, as long as it has the claim's fence. */
function rowOf(transaction: Transaction<Tables>, claim: Claim) {
  return transaction
    .selectFrom('pulls')
    .select('fence')
    .where('pull_key', '=', claim.pullKey)
    .where('fence', '=', claim.fence);
}
