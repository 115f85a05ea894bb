import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Signal } from '../../core/step/signals.ts';
import { EFFECT_COLUMNS, type EffectRow, toStoredEffect } from './effects.ts';
import { type DatabaseSchema, fromStored } from './engine/schema.ts';
import { IS_NOTICE, IS_PAUSED } from './pauses.ts';
import type { Claim, PullWork, WorkKind } from './store.ts';

/** Due signals of unclaimed pull requests, without comments that are held back by a failed one. */
const dueSignals = (now: number): RawBuilder<unknown> => sql`
  from inbox join pulls on pulls.pull_key = inbox.pull_key
  where inbox.done_at is null and inbox.not_before <= ${now}
    and (inbox.kind = 'effect-result' or pulls.webhooks_retry_at <= ${now})
    and (pulls.lease_until is null or pulls.lease_until <= ${now}) and not ${IS_PAUSED}
  order by inbox.not_before limit 1`;

/** Due exclusive effects of unclaimed pull requests. */
const dueEffects = (now: number): RawBuilder<unknown> => sql`
  from effects join pulls on pulls.pull_key = effects.pull_key
  where effects.done_at is null and effects.lane = 'exclusive' and effects.not_before <= ${now}
    and (pulls.lease_until is null or pulls.lease_until <= ${now}) and (not ${IS_PAUSED} or ${IS_NOTICE})
  order by effects.not_before limit 1`;

/**
 * Claims the free pull request whose due work is oldest, and raises its fencing token. `skip locked` lets any number of
 * workers claim at once, and each pull request goes to one of them (G6). Rows locked only by `receive` are not skipped.
 */
export async function claimPull(db: Kysely<DatabaseSchema>, now: number, leaseMs: number): Promise<Claim | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<{ pull_key: string; fence: number }>`
    with due_signal as (
      select pulls.pull_key, inbox.not_before ${dueSignals(now)} for no key update of pulls skip locked
    ), due_effect as (
      select pulls.pull_key, effects.not_before ${dueEffects(now)} for no key update of pulls skip locked
    )
    update pulls set fence = fence + 1, lease_until = ${leaseUntil}
    where pull_key = (
      select pull_key from (table due_signal union all table due_effect) as due order by not_before limit 1
    )
    returning pull_key, fence
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : { pullRequestKey: row.pull_key, fencingToken: row.fence, leaseUntil };
}

/** Extends the lease to `now + leaseMs`; false once the claim is lost. */
export async function renewPullClaim(
  db: Kysely<DatabaseSchema>,
  claim: Claim,
  now: number,
  leaseMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update pulls set lease_until = ${now + leaseMs} where ${isHeldBy(claim)}
  `.execute(db);
  return Number(numAffectedRows) > 0;
}

export async function releasePullClaim(db: Kysely<DatabaseSchema>, claim: Claim): Promise<void> {
  await sql`update pulls set ${RELEASED} where ${isHeldBy(claim)}`.execute(db);
}

/** Raises the fencing token, so that the released claim is void for its own holder too. */
const RELEASED = sql`fence = fence + 1, lease_until = null`;

/** Ends the leases of an earlier process. Only for a database that no other process can use. */
export async function endLeases(db: Kysely<DatabaseSchema>): Promise<void> {
  await sql`update pulls set ${RELEASED} where lease_until is not null`.execute(db);
  await sql`update effects set lease_until = null where lease_until is not null`.execute(db);
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

/** A due signal or a started effect. An effect that its previous holder finished meanwhile is not started. */
type WorkRow =
  | ({ kind: 'signal'; signal: string } & Omit<EffectRow, 'pull_key' | 'body'>)
  | ({ kind: 'effect'; started: true } & EffectRow)
  | { kind: 'effect'; started: null };

/**
 * Returns the next due signal of a claimed pull request: effect results first, then webhooks, each in order of arrival.
 * Otherwise returns its next due exclusive effect and counts the attempt. If there is neither, releases the claim and
 * returns null; null also if the claim is lost.
 */
export async function takeNextWork(db: Kysely<DatabaseSchema>, claim: Claim, now: number): Promise<PullWork | null> {
  for (;;) {
    const row = await startOrRelease(db, claim, now);
    if (row === null) return null;
    if (row.kind === 'signal') {
      const { id, attempts, internal_errors: internalErrors, refused_since: refusedSince } = row;
      const counts = { attempts, internalErrors, refusedSince };
      const signal = fromStored<Signal>(row.signal);
      return { kind: 'signal', signal: { id, signal, receivedAt: row.created_at, ...counts } };
    }
    if (row.started) return { kind: 'effect', effect: toStoredEffect(row) };
  }
}

/**
 * One statement, because every step of a run ends with it. The update of an effect waits for a previous holder that is
 * just finishing it.
 */
async function startOrRelease(db: Kysely<DatabaseSchema>, claim: Claim, now: number): Promise<WorkRow | null> {
  const { pullRequestKey } = claim;
  const { rows } = await sql<WorkRow>`
    with claimed as materialized (
      select webhooks_retry_at, ${IS_PAUSED} as is_paused from pulls where ${isHeldBy(claim)} for no key update
    ), due_signal as materialized (
      select inbox.id, inbox.signal, inbox.attempts, inbox.internal_errors, inbox.refused_since, inbox.received_at
      from claimed, inbox
      where not claimed.is_paused and inbox.pull_key = ${pullRequestKey} and inbox.done_at is null and inbox.signal is not null
        and inbox.not_before <= ${now} and (inbox.kind = 'effect-result' or claimed.webhooks_retry_at <= ${now})
      order by inbox.kind, inbox.id limit 1
    ), due_effect as materialized (
      select effects.id from claimed, effects
      where effects.pull_key = ${pullRequestKey} and effects.lane = 'exclusive' and effects.done_at is null
        and effects.not_before <= ${now} and not exists (select from due_signal)
        and (not claimed.is_paused or ${IS_NOTICE})
      order by effects.id limit 1
    ), started as (
      update effects set attempts = effects.attempts + 1, started = true
      from due_effect where effects.id = due_effect.id and effects.done_at is null
      returning ${EFFECT_COLUMNS}
    ), released as (
      update pulls set ${RELEASED}
      where ${isHeldBy(claim)} and not exists (select from due_signal) and not exists (select from due_effect)
    )
    select 'signal' as kind, true as started, id, signal, attempts, internal_errors, refused_since,
      received_at as created_at, null as pull_key, null as body
    from due_signal
    union all
    select 'effect', started.id is not null, started.id, null, started.attempts, started.internal_errors,
      started.refused_since, started.created_at, started.pull_key, started.body
    from due_effect left join started on started.id = due_effect.id
  `.execute(db);
  return rows[0] ?? null;
}

/**
 * When the earliest pending work can start (ms), of one kind or of both: at its own time and after its lease; null if
 * none is pending.
 */
export async function findNextDue(db: Kysely<DatabaseSchema>, kind: WorkKind | null): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    select least(
      (select min(greatest(inbox.not_before, pulls.lease_until,
          case when inbox.kind = 'webhook' then pulls.webhooks_retry_at end))
        from inbox join pulls on pulls.pull_key = inbox.pull_key
        where inbox.done_at is null and not ${IS_PAUSED} and ${kind !== 'effect'}::boolean),
      (select min(greatest(effects.not_before,
          case effects.lane when 'exclusive' then pulls.lease_until else effects.lease_until end))
        from effects join pulls on pulls.pull_key = effects.pull_key
        where effects.done_at is null and (not ${IS_PAUSED} or ${IS_NOTICE})
          and coalesce((effects.lane = 'exclusive') = ${kind === null ? null : kind === 'pull'}::boolean, true))
    ) as due
  `.execute(db);
  return rows[0]?.due ?? null;
}
