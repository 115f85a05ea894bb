import { type RawBuilder, sql } from 'kysely';
import { type Asking, type Backend, leasedUntil } from './backend.ts';
import { EFFECT_RANK, gateOf, HEAR } from './budgets.ts';
import type { Due } from './store.ts';
import { takeableEffects, takeableFreeEffects, takeableSignals, withBudget } from './takeable.ts';

type At = RawBuilder<unknown>;

/**
 * Not before it is due, not while its rank has to wait in its installation, and not while its pull request, or the effect
 * itself, is leased to a process that lives. What may be taken now is looked for first; only where nothing may, what is due
 * and has to wait is gone through. Of what is due later only its own time counts: the rest is seen then.
 */
export async function nextDue({ db, ...asking }: Pick<Backend, 'db'> & Asking, now: number): Promise<Due> {
  const taking = (rows: At, table: 'inbox' | 'effects'): At =>
    sql`(select ${sql.ref(`${table}.not_before`)} ${rows} limit 1)`;
  const { rows } = await sql<Due>`
    select
      coalesce(
        least(${taking(takeableSignals(asking, now), 'inbox')}, ${taking(takeableEffects(asking, now), 'effects')}),
        least(${waitingSignals(asking, now)}, ${waitingEffects('pull', leasedUntil('pulls', asking), now)},
          ${laterSignals(now)}, ${laterEffects('pull', now)})
      ) as pull,
      coalesce(
        ${taking(takeableFreeEffects(asking, now), 'effects')},
        least(${waitingEffects('free', leasedUntil('effects', asking), now)}, ${laterEffects('free', now)})
      ) as free
  `.execute(db);
  return rows[0] ?? { pull: null, free: null };
}

/** When the first signal that is due, but may not be taken yet, may be. One row for each pull request: many may wait. */
function waitingSignals(asking: Asking, now: number): At {
  return sql`(
    select min(greatest(inbox.not_before, ${leasedUntil('pulls', asking)}, case when inbox.kind = 'intent' then pulls.held_until end,
      ${gateOf(HEAR)}))
    from (
      select pull_key, kind, min(not_before) as not_before from inbox
      where done_at is null and not_before <= ${now} group by pull_key, kind
    ) as inbox
    join pulls on pulls.pull_key = inbox.pull_key
    left join budgets on budgets.installation_id = pulls.installation_id
  )`;
}

function waitingEffects(lane: keyof Due, leased: At, now: number): At {
  return sql`(
    select min(greatest(effects.not_before, ${leased}, ${gateOf(EFFECT_RANK)})) ${withBudget('effects')}
    where effects.done_at is null and effects.lane = ${sql.lit(lane)} and effects.not_before <= ${now}
  )`;
}

function laterSignals(now: number): At {
  return sql`(select not_before from inbox where done_at is null and not_before > ${now} order by not_before limit 1)`;
}

function laterEffects(lane: keyof Due, now: number): At {
  return sql`(
    select not_before from effects
    where done_at is null and lane = ${sql.lit(lane)} and not_before > ${now} order by not_before limit 1
  )`;
}
