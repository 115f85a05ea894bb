import { type Insertable, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import {
  type CommitEffect,
  dedupeKey,
  delayOf,
  type Effect,
  LANES,
  onlyNewestAttemptFinishes,
} from '../../core/step/effects.ts';
import type { Reason } from '../../core/step/reasons.ts';
import { reportsCommit, type Signal } from '../../core/step/signals.ts';
import { type DatabaseSchema, fromStored, insertCte, rowsOf, toPlainText, toStored } from './engine/schema.ts';
import { IS_PAUSED } from './pauses.ts';
import { countFailure, type EffectRetry, type StoredEffect } from './store.ts';

/** Columns of `effects` that a `StoredEffect` needs. */
export const EFFECT_COLUMNS = sql.raw(
  'effects.id, effects.pull_key, effects.body, effects.attempts, effects.internal_errors, effects.refused_since, effects.created_at',
);

export type EffectRow = {
  id: number;
  pull_key: string;
  body: string;
  attempts: number;
  internal_errors: number;
  refused_since: number | null;
  created_at: number;
};

/** Leases the longest due concurrent effect to a worker. */
export async function claimEffect(
  db: Kysely<DatabaseSchema>,
  now: number,
  leaseMs: number,
): Promise<StoredEffect | null> {
  const { rows } = await sql<EffectRow>`
    update effects set attempts = attempts + 1, started = true, lease_until = ${now + leaseMs}
    where id = (
      select id from effects
      where done_at is null and lane = 'concurrent' and not_before <= ${now}
        and (lease_until is null or lease_until <= ${now})
        and not exists (select from pulls where pulls.pull_key = effects.pull_key and ${IS_PAUSED})
      order by not_before limit 1 for update skip locked
    )
    returning ${EFFECT_COLUMNS}
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : toStoredEffect(row);
}

export function toStoredEffect(row: EffectRow): StoredEffect {
  return {
    id: row.id,
    pullRequestKey: row.pull_key,
    effect: fromStored<Effect>(row.body),
    attempts: row.attempts,
    internalErrors: row.internal_errors,
    refusedSince: row.refused_since,
    requestedAt: new Date(row.created_at).toISOString(),
  };
}

/** The reason that cancels running effects. */
const CANCELLED_REASON: Reason = 'access-lost';

/** A cancelled effect can still report a commit, once; after that it looks like any finished one. */
function orCancelledWithCommit(signal: Signal | null): RawBuilder<unknown> {
  return signal !== null && reportsCommit(signal) ? sql`or error = ${CANCELLED_REASON}` : sql``;
}

/**
 * Marks the effect done and stores its result, in one statement; false, with nothing changed, if it was already done.
 */
export async function finishEffect(
  db: Kysely<DatabaseSchema>,
  effect: StoredEffect,
  result: Signal | null,
  now: number,
): Promise<boolean> {
  const isNewest = onlyNewestAttemptFinishes(effect.effect) ? sql`and attempts = ${effect.attempts}` : sql``;
  const { rows } = await sql`
    with finished as (
      update effects set done_at = ${now}, started = false, lease_until = null,
        error = nullif(error, ${CANCELLED_REASON})
      where id = ${effect.id} and ((done_at is null ${isNewest}) ${orCancelledWithCommit(result)})
      returning pull_key
    ), result as (
      insert into inbox (pull_key, kind, signal, received_at, not_before)
      select pull_key, 'effect-result', ${result === null ? null : toStored(result)}, ${now}::bigint, ${now}::bigint
      from finished where ${result !== null}::boolean
    )
    select pull_key from finished
  `.execute(db);
  return rows.length > 0;
}

export async function listPendingCommits(
  db: Kysely<DatabaseSchema>,
  pullRequestKey: string,
): Promise<readonly CommitEffect[]> {
  const rows = await db
    .selectFrom('effects')
    .select('body')
    .where('pull_key', '=', pullRequestKey)
    .where('lane', '=', 'exclusive')
    .where('type', '=', 'commit')
    .where('done_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ body }) => fromStored<CommitEffect>(body));
}

/** Extends the lease of a concurrent effect to `now + leaseMs`; false once it is done or another worker has it. */
export async function renewEffect(
  db: Kysely<DatabaseSchema>,
  effect: StoredEffect,
  now: number,
  leaseMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable('effects')
    .set({ lease_until: now + leaseMs })
    .where('id', '=', effect.id)
    .where('attempts', '=', effect.attempts)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Columns of an effect that no worker performs. */
export const NOT_RUNNING = { started: false, lease_until: null } as const;

/**
 * Postpones the effect and stores the signal of its attempt. `attempts` serves as the fencing token: another worker
 * raises it, and then nothing changes here. A cancelled effect stays cancelled.
 */
export async function postponeEffect(
  db: Kysely<DatabaseSchema>,
  effect: StoredEffect,
  { now, notBefore, error, failure, signal }: EffectRetry,
): Promise<void> {
  const { internalErrors, refusedSince } = countFailure(effect, failure, now);
  await sql`
    with postponed as (
      update effects set not_before = ${notBefore},
        error = case when done_at is null then ${toPlainText(error)} end,
        internal_errors = ${internalErrors}, refused_since = ${refusedSince}::bigint, started = false, lease_until = null
      where id = ${effect.id} and attempts = ${effect.attempts} and (done_at is null ${orCancelledWithCommit(signal)})
      returning pull_key
    )
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select pull_key, 'effect-result', ${signal === null ? null : toStored(signal)}, ${now}::bigint, ${now}::bigint
    from postponed where ${signal !== null}::boolean
  `.execute(db);
}

/** Stores effects as `enqueueCtes` does. The transaction has locked the row of the pull request. */
export async function enqueueEffects(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  effects: readonly Effect[],
  now: number,
): Promise<void> {
  const ctes = [lockedPullCte(pullRequestKey), ...enqueueCtes(pullRequestKey, effects, now)];
  await sql`with ${sql.join(ctes)} select`.execute(transaction);
}

/** The common table expression `pull` in a transaction that has locked its row. */
export function lockedPullCte(pullRequestKey: string): RawBuilder<unknown> {
  return sql`pull as (select ${pullRequestKey}::text as pull_key)`;
}

/**
 * Common table expressions that store effects in order, without duplicates of pending ones, for the pull request of the
 * expression `pull`. Empty without effects.
 */
export function enqueueCtes(
  pullRequestKey: string,
  effects: readonly Effect[],
  now: number,
): readonly RawBuilder<unknown>[] {
  const rows = dedupeEffects(effects).map((effect) => ({
    pull_key: pullRequestKey,
    lane: LANES[effect.type],
    type: effect.type,
    dedupe_key: dedupeKey(effect),
    once_key: effect.type === 'reply' ? effect.onceKey : null,
    body: toStored(effect),
    created_at: now,
    not_before: now + delayOf(effect),
  }));
  const absorbing = rows.filter((row) => row.dedupe_key !== null && row.not_before === now);
  return [
    ...(absorbing.length === 0 ? [] : [requestAgainCte(pullRequestKey, absorbing, now)]),
    ...insertCte('effects', rows, { where: hasNoDuplicate(pullRequestKey), ending: sql`on conflict do nothing` }),
  ];
}

/** Keeps one effect for each key: the earliest due, in the place of the first. */
function dedupeEffects(effects: readonly Effect[]): readonly Effect[] {
  const deduplicated = new Map<unknown, Effect>();
  for (const effect of effects) {
    const key = dedupeKey(effect) ?? effect;
    const earlier = deduplicated.get(key);
    if (earlier === undefined || delayOf(effect) < delayOf(earlier)) deduplicated.set(key, effect);
  }
  return [...deduplicated.values()];
}

/**
 * Makes pending duplicates due immediately if they were never tried. Those that failed keep their time, but their
 * error count restarts, because they now carry new information.
 */
function requestAgainCte(
  pullRequestKey: string,
  rows: readonly Insertable<DatabaseSchema['effects']>[],
  now: number,
): RawBuilder<unknown> {
  return sql`requested_again as (
    update effects set created_at = ${now}, internal_errors = 0, refused_since = null,
      not_before = case when effects.attempts = 0 then ${now}::bigint else effects.not_before end
    from pull, ${rowsOf('effects', rows)}
    where effects.pull_key = ${pullRequestKey} and effects.done_at is null and not effects.started
      and effects.dedupe_key = given.dedupe_key and effects.not_before > ${now}
  )`;
}

/**
 * No pending effect equals the `given` one and will see the state after this step. A running effect might have read the
 * state already, so it does not count as a duplicate.
 */
function hasNoDuplicate(pullRequestKey: string): RawBuilder<unknown> {
  return sql`not exists (
    select from effects as pending
    where pending.pull_key = ${pullRequestKey} and pending.done_at is null and not pending.started
      and pending.dedupe_key = given.dedupe_key
  )`;
}
