import { type Kysely, sql } from 'kysely';
import type { Notice } from '../command/notice.ts';
import type { Signal } from '../run/signal.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/**
 * Stores a notice as one signal for each pull request that it concerns and where something goes on or waits. One
 * statement, whatever their number; the same delivery again changes nothing, even if more pull requests are there now.
 */
export async function tellAll(
  db: Kysely<Tables>,
  deliveryId: string,
  { installationId, repositoryIds, loss }: Notice,
  now: number,
): Promise<'stored' | 'duplicate'> {
  const signal: Signal = { type: 'access-lost', loss };
  const there =
    repositoryIds === null
      ? sql`true`
      : sql`pulls.repository_id in (${sql.join(repositoryIds.map((id) => sql`${id}`))})`;
  const { rows } = await sql<{ delivery_id: string }>`
    with notice as (
      insert into notices (delivery_id, received_at, uninstalled)
      values (${deliveryId}, ${now}::bigint, ${loss === 'uninstalled' ? installationId : null}::bigint)
      on conflict do nothing returning delivery_id
    ), told as (
      insert into inbox (pull_key, kind, signal, received_at, not_before)
      select pulls.pull_key, 'outcome', ${toStored(signal)}, ${now}::bigint, ${now}::bigint
      from pulls join notice on true
      where pulls.installation_id = ${installationId} and ${there} and (
        pulls.active
        or exists (select 1 from inbox as waiting where waiting.pull_key = pulls.pull_key and waiting.done_at is null)
        or exists (select 1 from effects where effects.pull_key = pulls.pull_key and effects.done_at is null)
      )
    )
    select delivery_id from notice
  `.execute(db);
  return rows.length > 0 ? 'stored' : 'duplicate';
}
