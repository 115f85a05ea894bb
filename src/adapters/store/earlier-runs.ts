import { type Kysely, sql } from 'kysely';
import type { DecidedProposal, FinishedRun } from '../../core/state/run.ts';
import { RUN_SCHEMA, type Run } from '../../core/state/run.ts';
import { fromStored } from './engine/json.ts';
import type { DatabaseSchema } from './engine/schema.ts';

/** Decided changes of one run that are read, newest first. */
const MAX_PROPOSALS_PER_RUN = 50;

/** A backslash before the letter u in a text is found too. */
const UNICODE_ESCAPE = '\\u';

/**
 * The newest other runs of the pull request with their decided changes, oldest first. Only the few fields that are
 * needed leave the database: a change can have hundreds of kilobytes. Skips runs of another schema version.
 */
export async function listEarlierRuns(
  db: Kysely<DatabaseSchema>,
  pullRequestKey: string,
  runId: string,
  limit: number,
): Promise<readonly FinishedRun[]> {
  const { rows } = await sql<{ run_id: string; state: string }>`
    select run_id, state from runs
    where pull_key = ${pullRequestKey} and run_id <> ${runId} and schema = ${RUN_SCHEMA}
    order by created_at desc, run_id desc limit ${limit}
  `.execute(db);
  const runs: FinishedRun[] = [];
  for (const row of rows.toReversed()) {
    runs.push({ run: fromStored<Run>(row.state), proposals: await listDecided(db, pullRequestKey, row.run_id) });
  }
  return runs;
}

async function listDecided(
  db: Kysely<DatabaseSchema>,
  pullRequestKey: string,
  runId: string,
): Promise<readonly DecidedProposal[]> {
  // PostgreSQL refuses to take JSON apart that escapes U+0000 or half of a surrogate pair, so such a body comes whole.
  const { rows } = await sql<{ decided: string }>`
    select case when strpos(body, ${UNICODE_ESCAPE}) > 0 then body else json_build_object(
      'state', body::json->'state',
      'votes', body::json->'votes',
      'origin', json_build_object('kind', body::json->'origin'->'kind'),
      'change', json_build_object(
        'op', body::json->'change'->'op', 'path', body::json->'change'->'path',
        'from', body::json->'change'->'from', 'digest', body::json->'change'->'digest',
        'members', (select json_agg(json_build_object(
          'op', member->'op', 'path', member->'path', 'from', member->'from', 'digest', member->'digest'))
          from json_array_elements(body::json->'change'->'members') as member))
    )::text end as decided
    from (
      select seq, body from proposals
      where pull_key = ${pullRequestKey} and run_id = ${runId} and schema = ${RUN_SCHEMA}
        and state in ('completed', 'rejected')
      order by seq desc limit ${MAX_PROPOSALS_PER_RUN}
    ) as newest
    order by seq
  `.execute(db);
  return rows.map(({ decided }) => fromStored<DecidedProposal>(decided));
}
