import { sql } from 'kysely';
import { type Backend, leasedUntil } from './backend.ts';
import type { Due } from './store.ts';

/** Not before it is due, and not while its pull request, or the effect itself, is leased to a process that lives. */
export async function nextDue({ db, holder }: Pick<Backend, 'db' | 'holder'>): Promise<Due> {
  const { rows } = await sql<Due>`
    select
      (select min(greatest(work.not_before, ${leasedUntil('pulls', holder)}, case when work.held then pulls.held_until end))
        from (
          select pull_key, not_before, kind = 'intent' as held from inbox where done_at is null
          union all
          select pull_key, not_before, false as held from effects where done_at is null and lane = 'pull'
        ) as work
        join pulls on pulls.pull_key = work.pull_key) as pull,
      (select min(greatest(not_before, ${leasedUntil('effects', holder)})) from effects where done_at is null and lane = 'free') as free
  `.execute(db);
  return rows[0] ?? { pull: null, free: null };
}
