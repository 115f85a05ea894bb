import { type RawBuilder, sql } from 'kysely';
import { PRIORITY_OF } from '../../core/step/effects.ts';
import type { Priority } from '../../core/step/rate-limit.ts';
import { type Backend, isUnleased, type LeaseHolder, leasedUntil } from './engine/backend.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import type { DueTimes } from './store.ts';

type SqlFragment = RawBuilder<unknown>;

type EffectLane = DatabaseSchema['effects']['lane'];

/**
 * Finds when the earliest work of each lane can start: at its own time, after the block of its priority and after its
 * lease. Work that can start now is queried first, because that is cheap. For later work, only its own time counts.
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
        least(${blockedSignals(leaseHolder, now)}, ${blockedEffects('exclusive', leasedUntil('pulls', leaseHolder), now)},
          ${futureSignals(now)}, ${futureEffects('exclusive', now)})
      ) as exclusive,
      coalesce(
        ${firstDue(claimableConcurrentEffects(leaseHolder, now), 'effects')},
        least(${blockedEffects('concurrent', leasedUntil('effects', leaseHolder), now)}, ${futureEffects('concurrent', now)})
      ) as concurrent
  `.execute(db);
  return rows[0] ?? { exclusive: null, concurrent: null };
}

/** When the first blocked signal can start. Grouped first, because one pull request can have many pending signals. */
function blockedSignals(leaseHolder: LeaseHolder, now: number): SqlFragment {
  return sql`(
    select min(greatest(inbox.not_before, ${leasedUntil('pulls', leaseHolder)}, case when inbox.kind = 'webhook' then pulls.webhooks_retry_at end,
      ${blockedUntil(READ_PRIORITY)}))
    from (
      select pull_key, kind, min(not_before) as not_before from inbox
      where done_at is null and not_before <= ${now} group by pull_key, kind
    ) as inbox
    join pulls on pulls.pull_key = inbox.pull_key
    left join rate_limits on rate_limits.installation_id = pulls.installation_id
  )`;
}

function blockedEffects(lane: EffectLane, leased: SqlFragment, now: number): SqlFragment {
  return sql`(
    select min(greatest(effects.not_before, ${leased}, ${blockedUntil(EFFECT_PRIORITY)})) ${withRateLimits('effects')}
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

/** The priority of a row of `effects`. */
export const EFFECT_PRIORITY: RawBuilder<Priority> = sql`case when effects.type in (${sql.join(
  Object.entries(PRIORITY_OF)
    .filter(([, priority]) => priority === 'notify')
    .map(([type]) => sql.lit(type)),
)}) then 'notify' else 'act' end`;

/** Until when the priority is blocked (ms). Requires a left join of `rate_limits`. */
export function blockedUntil(priority: RawBuilder<Priority>): RawBuilder<number> {
  return sql`coalesce(case ${priority} when 'read' then rate_limits.read_blocked_until when 'act' then rate_limits.act_blocked_until else rate_limits.notify_blocked_until end, 0)`;
}

export const READ_PRIORITY: RawBuilder<Priority> = sql`'read'`;

/** Rows of `inbox` or `effects` with their pull request and the rate limits of its installation. */
function withRateLimits(table: 'inbox' | 'effects'): SqlFragment {
  return sql`from ${sql.table(table)} join pulls on pulls.pull_key = ${sql.ref(`${table}.pull_key`)}
    left join rate_limits on rate_limits.installation_id = pulls.installation_id`;
}

/**
 * Work that can start now, as the rest of a `select`. Ordered like the index: with a limit, the cost does not depend on
 * how much work is pending.
 */
type ClaimableQuery = (leaseHolder: LeaseHolder, now: number) => SqlFragment;

/** Signals of unclaimed pull requests, without comments that are held back by a failed one. */
export const claimableSignals: ClaimableQuery = (leaseHolder, now) => sql`
  ${withRateLimits('inbox')}
  where inbox.done_at is null and inbox.not_before <= ${now}
    and (inbox.kind = 'effect-result' or pulls.webhooks_retry_at <= ${now})
    and ${isUnleased('pulls', leaseHolder, now)} and ${blockedUntil(READ_PRIORITY)} <= ${now}
  order by inbox.not_before`;

/** Exclusive effects of unclaimed pull requests. */
export const claimableExclusiveEffects: ClaimableQuery = (leaseHolder, now) => sql`
  ${withRateLimits('effects')}
  where effects.done_at is null and effects.lane = 'exclusive' and effects.not_before <= ${now}
    and ${isUnleased('pulls', leaseHolder, now)} and ${blockedUntil(EFFECT_PRIORITY)} <= ${now}
  order by effects.not_before`;

/** Concurrent effects that no worker performs. */
export const claimableConcurrentEffects: ClaimableQuery = (leaseHolder, now) => sql`
  ${withRateLimits('effects')}
  where effects.done_at is null and effects.lane = 'concurrent' and effects.not_before <= ${now}
    and ${isUnleased('effects', leaseHolder, now)} and ${blockedUntil(EFFECT_PRIORITY)} <= ${now}
  order by effects.not_before`;
