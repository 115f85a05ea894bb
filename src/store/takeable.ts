import { type RawBuilder, sql } from 'kysely';
import { type Asking, isFree } from './backend.ts';
import { EFFECT_RANK, gateOf, HEAR } from './budgets.ts';

/** Rows of `inbox` or `effects` with their pull request and its installation's budget. */
export function withBudget(table: 'inbox' | 'effects'): RawBuilder<unknown> {
  return sql`from ${sql.table(table)} join pulls on pulls.pull_key = ${sql.ref(`${table}.pull_key`)}
    left join budgets on budgets.installation_id = pulls.installation_id`;
}

/**
 * What may be begun now, as the rest of a `select`. Ordered by when it became due, as the index on that is: with a limit,
 * what is read does not depend on how much waits.
 */
type Takeable = (asking: Asking, now: number) => RawBuilder<unknown>;

/** Signals of pull requests that nobody holds; none of people's words that wait for some that failed. */
export const takeableSignals: Takeable = (asking, now) => sql`
  ${withBudget('inbox')}
  where inbox.done_at is null and inbox.not_before <= ${now}
    and (inbox.kind = 'outcome' or pulls.held_until <= ${now})
    and ${isFree('pulls', asking, now)} and ${gateOf(HEAR)} <= ${now}
  order by inbox.not_before`;

/** Effects of the pull lane, of pull requests that nobody holds. */
export const takeableEffects: Takeable = (asking, now) => sql`
  ${withBudget('effects')}
  where effects.done_at is null and effects.lane = 'pull' and effects.not_before <= ${now}
    and ${isFree('pulls', asking, now)} and ${gateOf(EFFECT_RANK)} <= ${now}
  order by effects.not_before`;

/** Effects of the free lane that nobody performs. */
export const takeableFreeEffects: Takeable = (asking, now) => sql`
  ${withBudget('effects')}
  where effects.done_at is null and effects.lane = 'free' and effects.not_before <= ${now}
    and ${isFree('effects', asking, now)} and ${gateOf(EFFECT_RANK)} <= ${now}
  order by effects.not_before`;
