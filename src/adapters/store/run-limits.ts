import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { PullRequestRef } from '../../core/state/intent.ts';
import { DAY_MS, type ReachedRunLimit, type RunStart } from '../../core/state/limits.ts';
import type { DatabaseSchema } from './engine/schema.ts';

/** First key of the advisory locks under which runs start; the second one is of the repository. */
const RUN_START_LOCKS = 0x7c51;

/**
 * Whether the transaction may save the start of a run, or of its limits anew. Starts in one repository wait for each
 * other here until the end of their transactions, and each counts those before it, so that no two of them take the last
 * free place.
 */
export async function mayStartRun(
  transaction: Transaction<DatabaseSchema>,
  ref: PullRequestRef,
  start: RunStart,
  now: number,
): Promise<boolean> {
  const { repositoryId } = ref;
  // A statement of its own: the next one sees what was committed while this one waited.
  await sql`
    select pg_advisory_xact_lock(${RUN_START_LOCKS}::integer, hashint8(${repositoryId}::bigint))
  `.execute(transaction);
  return (await findReachedRunLimit(transaction, ref, start, now)) === null;
}

/** The limit of runs within 24 hours that a run reaches, the one that is free last; null if the run can start. */
export async function findReachedRunLimit(
  db: Kysely<DatabaseSchema>,
  ref: PullRequestRef,
  { requesterId, runsPerDay, runsPerPersonPerDay }: RunStart,
  now: number,
): Promise<ReachedRunLimit | null> {
  const nth = (max: number, counted: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
    select run_starts.started_at from run_starts join pulls on pulls.pull_key = run_starts.pull_key
    where run_starts.started_at > ${now - DAY_MS}
      and pulls.installation_id = ${ref.installationId} and pulls.repository_id = ${ref.repositoryId} and ${counted}
    order by run_starts.started_at desc offset ${max - 1} limit 1
  )`;
  const byPerson =
    runsPerPersonPerDay === null
      ? sql`null::bigint`
      : nth(runsPerPersonPerDay, sql`run_starts.requester_id = ${requesterId}`);
  const { rows } = await sql<{ readonly byAll: number | null; readonly byPerson: number | null }>`
    select ${nth(runsPerDay, sql`true`)} as "byAll", ${byPerson} as "byPerson"
  `.execute(db);
  const [row] = rows;
  const reached = [
    reachedLimit('limits.runs_per_day', runsPerDay, row?.byAll),
    reachedLimit('limits.runs_per_person_per_day', runsPerPersonPerDay, row?.byPerson),
  ].flatMap((limit) => limit ?? []);
  return reached.toSorted((left, right) => Date.parse(right.freeAt) - Date.parse(left.freeAt))[0] ?? null;
}

/** `first` is the start of the oldest run that fills the limit. */
function reachedLimit(
  key: ReachedRunLimit['key'],
  max: number | null,
  first: number | null | undefined,
): ReachedRunLimit | null {
  if (max === null || first == null) return null;
  return { key, max, freeAt: new Date(Number(first) + DAY_MS).toISOString() };
}
