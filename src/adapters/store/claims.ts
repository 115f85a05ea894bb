import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Signal } from '../../core/step/signals.ts';
import { claimableExclusiveEffects, claimableSignals } from './due-work.ts';
import { EFFECT_COLUMNS, type EffectRow, toStoredEffect } from './effects.ts';
import type { Backend, LeaseHolder } from './engine/backend.ts';
import { fromStored } from './engine/json.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import type { Claim, NewClaim, PullWork, StoredEffect, StoredSignal } from './store.ts';

type ClaimRow = { pull_key: string; fence: number } & { [column in keyof SignalRow]: SignalRow[column] | null };

/**
 * Claims the free pull request whose due work is oldest, and raises its fencing token. `skip locked` lets any number of
 * workers claim at once, and each pull request goes to one of them (G6). Rows locked only by `receive` are not skipped.
 */
export async function claimPull(
  { db, ...leaseHolder }: Pick<Backend, 'db'> & LeaseHolder,
  worker: string,
  now: number,
  leaseMs: number,
): Promise<NewClaim | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<ClaimRow>`
    with oldest_signal as (
      select pulls.pull_key, inbox.not_before ${claimableSignals(leaseHolder, now)}
      limit 1 for no key update of pulls skip locked
    ), oldest_effect as (
      select pulls.pull_key, effects.not_before ${claimableExclusiveEffects(leaseHolder, now)}
      limit 1 for no key update of pulls skip locked
    ), next as materialized (
      select * from (select * from oldest_signal union all select * from oldest_effect) as work order by not_before limit 1
    ), claimed as (
      update pulls
      set fence = fence + 1, lease_until = ${leaseUntil}, leased_by = ${leaseHolder.leaseHolderId}, worker = ${worker}
      where pull_key = (select pull_key from next)
      returning pull_key, fence, webhooks_retry_at
    )
    select claimed.pull_key, claimed.fence, signal.*
    from claimed left join lateral (
      select id, signal, received_at, attempts, internal_errors from inbox
      where inbox.pull_key = claimed.pull_key and done_at is null and not_before <= ${now}
        and (kind = 'effect-result' or claimed.webhooks_retry_at <= ${now})
        and exists (select from oldest_signal where oldest_signal.pull_key = claimed.pull_key)
      order by kind, id limit 1
    ) as signal on true
  `.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  const { pull_key: pullRequestKey, fence: fencingToken } = row;
  return { pullRequestKey, fencingToken, leaseUntil, firstSignal: hasSignal(row) ? toStoredSignal(row) : null };
}

function hasSignal(row: ClaimRow): row is ClaimRow & SignalRow {
  return row.id !== null && row.signal !== null;
}

/** Extends the lease to `now + leaseMs`; false once the claim is lost. */
export async function renewPullClaim(
  db: Kysely<DatabaseSchema>,
  claim: Claim,
  now: number,
  leaseMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable('pulls')
    .set({ lease_until: now + leaseMs })
    .where(isHeldBy(claim))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function releasePullClaim(db: Kysely<DatabaseSchema>, claim: Claim): Promise<void> {
  await sql`update pulls set ${releasedColumns(claim)} where ${isHeldBy(claim)}`.execute(db);
}

/** Raises the fencing token, so that the released claim is void for its own holder too. */
function releasedColumns({ fencingToken }: Claim): RawBuilder<unknown> {
  return sql`fence = ${fencingToken + 1}, lease_until = null, leased_by = null, worker = null`;
}

/**
 * Runs `work` in one transaction with the row of the pull request locked, so that two holders never interleave. Returns
 * `lost` and writes nothing if the claim is lost (G7). With `no deliveries`, `receive` waits, too: `work` sees every
 * stored delivery, and later ones wait for the commit (B14). Keep such `work` short, and never let it wait for a lock
 * that a receiver can hold.
 */
export function withClaim<T, Lost>(
  db: Kysely<DatabaseSchema>,
  claim: Claim,
  meanwhile: 'deliveries' | 'no deliveries',
  lost: Lost,
  work: (transaction: Transaction<DatabaseSchema>) => Promise<T>,
): Promise<T | Lost> {
  const strength = meanwhile === 'deliveries' ? sql`no key update` : sql`update`;
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select from pulls where ${isHeldBy(claim)} for ${strength}`.execute(transaction);
    return rows.length === 0 ? lost : work(transaction);
  });
}

/** A condition: this row of `pulls` still belongs to the claim. */
export function isHeldBy({ pullRequestKey, fencingToken }: Claim) {
  return sql<boolean>`pulls.pull_key = ${pullRequestKey} and pulls.fence = ${fencingToken}`;
}

/** Columns of `inbox` that a `StoredSignal` needs. */
type SignalRow = { id: number; signal: string; received_at: number; attempts: number; internal_errors: number };

function toStoredSignal({
  id,
  signal,
  received_at: receivedAt,
  attempts,
  internal_errors: internalErrors,
}: SignalRow): StoredSignal {
  return { id, signal: fromStored<Signal>(signal), receivedAt, attempts, internalErrors };
}

type WorkRow =
  | (SignalRow & { readonly kind: 'effect-result' | 'webhook' })
  | { readonly kind: 'effect'; readonly id: number };

/**
 * Returns the next due signal of a claimed pull request: effect results first, then webhooks, each in order of arrival.
 * Otherwise returns its next due exclusive effect and counts the attempt. If there is neither, releases the claim and
 * returns null; null also if the claim is lost.
 */
export async function takeNextWork(db: Kysely<DatabaseSchema>, claim: Claim, now: number): Promise<PullWork | null> {
  for (;;) {
    const due = await findDueWorkOrRelease(db, claim, now);
    if (due === null) return null;
    if (due.kind !== 'effect') return { kind: 'signal', signal: toStoredSignal(due) };
    const effect = await startEffect(db, claim, due.id);
    if (effect !== null) return { kind: 'effect', effect };
  }
}

/** One statement, because every step of a run ends with it. */
async function findDueWorkOrRelease(db: Kysely<DatabaseSchema>, claim: Claim, now: number): Promise<WorkRow | null> {
  const { pullRequestKey } = claim;
  const { rows } = await sql<WorkRow>`
    with claimed as materialized (
      select webhooks_retry_at from pulls where ${isHeldBy(claim)}
    ), due as materialized (
      (${selectDueSignal('effect-result', pullRequestKey, now)}) union all (${selectDueSignal('webhook', pullRequestKey, now)}) union all (
        select 3 as ordinal, 'effect' as kind, effects.id, null as signal, null as received_at, null as attempts, null as internal_errors
        from claimed, effects
        where effects.pull_key = ${pullRequestKey} and effects.lane = 'exclusive' and effects.done_at is null
          and effects.not_before <= ${now}
        order by effects.id limit 1
      )
      order by ordinal limit 1
    ), released as (
      update pulls set ${releasedColumns(claim)} where ${isHeldBy(claim)} and not exists (select from due)
    )
    select * from due
  `.execute(db);
  return rows[0] ?? null;
}

/** The oldest due signal of one kind. A failed comment holds back the later ones. */
function selectDueSignal(kind: 'effect-result' | 'webhook', pullRequestKey: string, now: number) {
  return sql`
    select ${sql.lit(kind === 'effect-result' ? 1 : 2)} as ordinal, inbox.kind, inbox.id, inbox.signal, inbox.received_at, inbox.attempts, inbox.internal_errors
    from claimed, inbox
    where inbox.pull_key = ${pullRequestKey} and inbox.kind = ${sql.lit(kind)} and inbox.done_at is null
      and inbox.not_before <= ${now} and inbox.signal is not null
      ${kind === 'webhook' ? sql`and claimed.webhooks_retry_at <= ${now}` : sql``}
    order by inbox.id limit 1`;
}

/**
 * Counts the attempt if the claim still holds. The row lock waits for a previous holder that is just finishing the
 * effect.
 */
async function startEffect(db: Kysely<DatabaseSchema>, claim: Claim, id: number): Promise<StoredEffect | null> {
  const { rows } = await sql<EffectRow>`
    with claimed as (
      select pull_key from pulls where ${isHeldBy(claim)} for no key update
    )
    update effects set attempts = effects.attempts + 1, started = true
    from claimed where effects.id = ${id} and effects.done_at is null
    returning ${EFFECT_COLUMNS}
  `.execute(db);
  const row = rows[0];
  return row === undefined ? null : toStoredEffect(row);
}
