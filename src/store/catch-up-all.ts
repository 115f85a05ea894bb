import { type Kysely, type RawBuilder, sql } from 'kysely';
import { coalescingKey, type Effect, LANES } from '../run/effect.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** One statement, whatever their number. */
export async function catchUpAll(db: Kysely<Tables>, since: string, now: number, pauseMs: number): Promise<number> {
  const { rows } = await sql`${wantCatchUps(since, sql`pulls`, now, pauseMs)} returning id`.execute(db);
  return rows.length;
}

/** Stands where each row of `pulls` has its own time. */
const ITS_OWN = 'goes-on-since';

/**
 * Wants of each of the pull requests `from` where something goes on, or words wait that may begin something, that it catches
 * up, one after the other, as an `insert`: since that time, or else since what goes on there now began, for it may have ended
 * by then. One that is being performed may have looked already, so it makes no other unnecessary.
 */
export function wantCatchUps(
  since: string | null,
  from: RawBuilder<unknown>,
  now: number,
  pauseMs: number,
): RawBuilder<unknown> {
  const effect: Effect = { type: 'catch-up', since: since ?? ITS_OWN, expiring: false };
  const body = sql`replace(${toStored(effect)}, ${JSON.stringify(ITS_OWN)}, coalesce(to_json(goes_on_since)::text, 'null'))`;
  const key = sql`replace(${coalescingKey(effect)}, ${ITS_OWN}, coalesce(goes_on_since, 'null'))`;
  return sql`
    insert into effects (pull_key, lane, type, coalescing_key, body, created_at, not_before)
    select pulls.pull_key, ${LANES[effect.type]}, ${effect.type}, ${key}, ${body}, ${now}::bigint,
      ${now}::bigint + (row_number() over (order by pulls.pull_key) - 1) * ${pauseMs}::bigint
    from ${from}
    where (pulls.active
      or exists (select 1 from inbox as said where said.pull_key = pulls.pull_key and said.done_at is null))
    and not exists (
      select 1 from effects as wanted
      where wanted.pull_key = pulls.pull_key and wanted.done_at is null and wanted.coalescing_key = ${key}
        and not wanted.begun
    )`;
}
