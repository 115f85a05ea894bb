import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * When the earliest undone work may be taken (ms): not before it is due, and not while its pull request, or the effect
 * itself, is leased. Null where nothing waits.
 */
export async function nextDue(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    select min(due) as due from (
      select greatest(work.not_before, pulls.lease_until, case when work.held then pulls.held_until end) as due from (
        select pull_key, not_before, kind = 'intent' as held from inbox where done_at is null
        union all
        select pull_key, not_before, false as held from effects where done_at is null and lane = 'pull'
      ) as work
      join pulls on pulls.pull_key = work.pull_key
      union all
      select greatest(not_before, lease_until) as due from effects where done_at is null and lane = 'free'
    ) as everything
  `.execute(db);
  return rows[0]?.due ?? null;
}
