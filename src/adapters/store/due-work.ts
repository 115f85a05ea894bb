import { type RawBuilder, sql } from 'kysely';
import { type Backend, isUnleased, type LeaseHolder, leasedUntil } from './engine/backend.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import type { DueTimes } from './store.ts';

type SqlFragment = RawBuilder<unknown>;

type EffectLane = DatabaseSchema['effects']['lane'];

/**
 * Finds when the earliest work of each lane can start: at its own time and after its lease. Work that can start now is
 * queried first, because that is cheap. For later work, only its own time counts.
 */
export async function findNextDueTimes(
  { db, ...leaseHolder }: Pick<Backend, 'db'> & LeaseHolder,
  now: number,
): Promise<DueTimes> {
  const firstDue = (rows: SqlFragment, table: 'inbox' | 'effects'): SqlFragment =>
    sql`(select ${sql.ref(`${table}.not_before`)} ${rows} limit 1)`;
  const { rows } = await sql<DueTimes>`
    select
      coalesce(
        least(${firstDue(claimableSignals(leaseHolder, now), 'inbox')}, ${firstDue(claimableExclusiveEffects(leaseHolder, now), 'effects')}),
        least(${leasedSignals(leaseHolder, now)}, ${leasedEffects('exclusive', leasedUntil('pulls', leaseHolder), now)},
          ${futureSignals(now)}, ${futureEffects('exclusive', now)})
      ) as exclusive,
      coalesce(
        ${firstDue(claimableConcurrentEffects(leaseHolder, now), 'effects')},
        least(${leasedEffects('concurrent', leasedUntil('effects', leaseHolder), now)}, ${futureEffects('concurrent', now)})
      ) as concurrent
  `.execute(db);
  return rows[0] ?? { exclusive: null, concurrent: null };
}

/** When the first signal of a claimed pull request can start. Grouped first, because one pull request can have many pending signals. */
function leasedSignals(leaseHolder: LeaseHolder, now: number): SqlFragment {
  return sql`(
    select min(greatest(inbox.not_before, ${leasedUntil('pulls', leaseHolder)}, case when inbox.kind = 'webhook' then pulls.webhooks_retry_at end))
    from (
      select pull_key, kind, min(not_before) as not_before from inbox
      where done_at is null and not_before <= ${now} group by pull_key, kind
    ) as inbox
    join pulls on pulls.pull_key = inbox.pull_key
  )`;
}

function leasedEffects(lane: EffectLane, leased: SqlFragment, now: number): SqlFragment {
  return sql`(
    select min(greatest(effects.not_before, ${leased})) ${withPulls('effects')}
    where effects.done_at is null and effects.lane = ${sql.lit(lane)} and effects.not_before <= ${now}
  )`;
}

function futureSignals(now: number): SqlFragment {
  return sql`(select not_before from inbox where done_at is null and not_before > ${now} order by not_before limit 1)`;
}

function futureEffects(lane: EffectLane, now: number): SqlFragment {
  return sql`(
    select not_before from effects
    where done_at is null and lane = ${sql.lit(lane)} and not_before > ${now} order by not_before limit 1
  )`;
}

/** Rows of `inbox` or `effects` with their pull request. */
function withPulls(table: 'inbox' | 'effects'): SqlFragment {
  return sql`from ${sql.table(table)} join pulls on pulls.pull_key = ${sql.ref(`${table}.pull_key`)}`;
}

/**
 * Work that can start now, as the rest of a `select`. Ordered like the index: with a limit, the cost does not depend on
 * how much work is pending.
 */
type ClaimableQuery = (leaseHolder: LeaseHolder, now: number) => SqlFragment;

/** Signals of unclaimed pull requests, without comments that are held back by a failed one. */
export const claimableSignals: ClaimableQuery = (leaseHolder, now) => sql`
  ${withPulls('inbox')}
  where inbox.done_at is null and inbox.not_before <= ${now}
    and (inbox.kind = 'effect-result' or pulls.webhooks_retry_at <= ${now})
    and ${isUnleased('pulls', leaseHolder, now)}
  order by inbox.not_before`;

/** Exclusive effects of unclaimed pull requests. */
export const claimableExclusiveEffects: ClaimableQuery = (leaseHolder, now) => sql`
  ${withPulls('effects')}
  where effects.done_at is null and effects.lane = 'exclusive' and effects.not_before <= ${now}
    and ${isUnleased('pulls', leaseHolder, now)}
  order by effects.not_before`;

/** Concurrent effects that no worker performs. */
export const claimableConcurrentEffects: ClaimableQuery = (leaseHolder, now) => sql`
  ${withPulls('effects')}
  where effects.done_at is null and effects.lane = 'concurrent' and effects.not_before <= ${now}
    and ${isUnleased('effects', leaseHolder, now)}
  order by effects.not_before`;
