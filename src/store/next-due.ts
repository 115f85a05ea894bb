import { sql } from 'kysely';
import { type Backend, leasedUntil } from './backend.ts';
import { EFFECT_RANK, gateOf, HEAR } from './budgets.ts';
import type { Due } from './store.ts';

/** Not before it is due, not while its rank has to wait in its installation, and not while its pull request, or the effect itself, is leased to a process that lives. */
export async function nextDue({ db, holder }: Pick<Backend, 'db' | 'holder'>): Promise<Due> {
  const { rows } = await sql<Due>`
    select
      (select min(greatest(work.not_before, ${leasedUntil('pulls', holder)}, case when work.held then pulls.held_until end,
          ${gateOf(sql`work.rank`)}))
        from (
          -- One row for each pull request: all else is the same for its signals, and many may wait.
          select pull_key, min(not_before) as not_before, kind = 'intent' as held, ${HEAR} as rank
          from inbox where done_at is null group by pull_key, kind
          union all
          select pull_key, not_before, false as held, ${EFFECT_RANK} as rank from effects where done_at is null and lane = 'pull'
        ) as work
        join pulls on pulls.pull_key = work.pull_key
        left join budgets on budgets.installation_id = pulls.installation_id) as pull,
      (select min(greatest(effects.not_before, ${leasedUntil('effects', holder)}, ${gateOf(EFFECT_RANK)}))
        from effects join pulls on pulls.pull_key = effects.pull_key
        left join budgets on budgets.installation_id = pulls.installation_id
        where effects.done_at is null and effects.lane = 'free') as free
  `.execute(db);
  return rows[0] ?? { pull: null, free: null };
}
