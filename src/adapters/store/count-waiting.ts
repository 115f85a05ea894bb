import { type Kysely, sql } from 'kysely';
import type { WaitingWork } from '../telemetry/waiting-gauges.ts';
import type { DatabaseSchema } from './engine/schema.ts';

/** Counts for metrics, from indexes of pending rows. */
export async function countWaiting(db: Kysely<DatabaseSchema>, now: number): Promise<WaitingWork> {
  const { rows } = await sql<Omit<WaitingWork, 'runs'>>`
    select pending.count as "pendingChanges", pending.oldest as "oldestPendingAt",
      (select count(*) from inbox where done_at is null and not_before <= ${now}) as "dueSignals",
      (select count(*) from effects where done_at is null and not_before <= ${now}) as "dueEffects",
      (select count(*) from inbox where dead_lettered) as "deadLetters"
    from (
      select count(*) as count, min(created_at) as oldest from proposals
      where state = 'proposed' and comment_id is not null
    ) as pending
  `.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('The database answered without a row');
  const runs = await sql<WaitingWork['runs'][number]>`
    select phase, count(*) as count from (
      select substring(runs.state from '"phase":\\{"kind":"([a-z-]+)"') as phase
      from pulls join runs on runs.run_id = pulls.run_id where pulls.active
    ) as active
    where phase <> 'ended' group by phase
  `.execute(db);
  return { ...counts, runs: runs.rows };
}
