import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AccessLoss, Notice } from '../command/notice.ts';
import { CATCH_UP_PAUSE_MS } from '../run/effect.ts';
import type { Signal } from '../run/signal.ts';
import { wantCatchUps } from './catch-up-all.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/**
 * Stores a notice for each pull request that it concerns. One statement, whatever their number; the same delivery again
 * changes nothing, even if more pull requests are there now.
 */
export async function tellAll(
  db: Kysely<Tables>,
  deliveryId: string,
  notice: Notice,
  now: number,
): Promise<'stored' | 'duplicate'> {
  const uninstalled = notice.kind === 'access-lost' && notice.loss === 'uninstalled' ? notice.installationId : null;
  const { rows } = await sql<{ delivery_id: string }>`
    with notice as (
      insert into notices (delivery_id, received_at, uninstalled)
      values (${deliveryId}, ${now}::bigint, ${uninstalled}::bigint)
      on conflict do nothing returning delivery_id
    ), meant as (
      select pulls.pull_key, pulls.active, pulls.goes_on_since from pulls join notice on true
      where pulls.installation_id = ${notice.installationId} and ${isThere(notice)}
    ), told as (
      ${notice.kind === 'access-lost' ? tellLost(notice.loss, now) : wantCatchUps(null, sql`meant as pulls`, now, CATCH_UP_PAUSE_MS)}
    )
    select delivery_id from notice
  `.execute(db);
  return rows.length > 0 ? 'stored' : 'duplicate';
}

function isThere({ repositoryIds }: Notice): RawBuilder<unknown> {
  if (repositoryIds === null) return sql`true`;
  return sql`pulls.repository_id in (${sql.join(repositoryIds.map((id) => sql`${id}`))})`;
}

/** One signal for each where something goes on or waits. */
function tellLost(loss: AccessLoss, now: number): RawBuilder<unknown> {
  const signal: Signal = { type: 'access-lost', loss };
  return sql`
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select pull_key, 'outcome', ${toStored(signal)}, ${now}::bigint, ${now}::bigint
    from meant
    where active
      or exists (select 1 from inbox as waiting where waiting.pull_key = meant.pull_key and waiting.done_at is null)
      or exists (select 1 from effects where effects.pull_key = meant.pull_key and effects.done_at is null)`;
}
