import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { DAY_MS } from '../../core/state/limits.ts';
import type { Run } from '../../core/state/run.ts';
import { ONCE_IN_REPOSITORY } from '../../core/step/effects.ts';
import { type DatabaseSchema, fromStored, toStored } from './engine/schema.ts';
import type { StoredPullState } from './load.ts';

/** Handled deliveries: GitHub can redeliver them for some days, and none may count twice (F20). */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS;

/** Ended runs with their proposals, transcripts and comments, and answered questions. */
export const RUN_RETENTION_MS = 90 * DAY_MS;

/** After an uninstall, so that work in progress can end first. */
export const UNINSTALL_GRACE_MS = 3_600_000;

/** Rows of one transaction; `MAX_OWNERS_PER_BATCH` counts runs or pull requests, each deleted with all its rows. */
const MAX_ROWS_PER_BATCH = 1_000;

const MAX_OWNERS_PER_BATCH = 25;

/** Any number works if nothing else in the database locks it. */
const CLEANUP_LOCK = 8_261_947_302;

/** Deletes at most `maxRows`, and returns the number of deleted rows. */
type CleanupTask = {
  readonly maxRows: number;
  readonly deleteBatch: (transaction: Transaction<DatabaseSchema>, now: number) => Promise<number>;
};

type TableOfRows = 'inbox' | 'effects' | 'installation_events' | 'run_starts';

/** Deletes a batch of the rows of one table that meet a condition. */
function deleteRows(table: TableOfRows, isOld: (now: number) => RawBuilder<unknown>): CleanupTask {
  return {
    maxRows: MAX_ROWS_PER_BATCH,
    async deleteBatch(transaction, now) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ctid in (
          select ctid from ${sql.table(table)} where ${isOld(now)} limit ${MAX_ROWS_PER_BATCH}
        )
      `.execute(transaction);
      return Number(numAffectedRows ?? 0);
    },
  };
}

const CLEANUP_TASKS: readonly CleanupTask[] = [
  // Dead letters stay as long as runs, because an operator might look into them.
  deleteRows(
    'inbox',
    (now) => sql`done_at < ${now - DELIVERY_RETENTION_MS}
      and (not dead_lettered or done_at < ${now - RUN_RETENTION_MS})`,
  ),
  // Replies that are posted once in a repository stay: without their rows they would be posted again.
  deleteRows(
    'effects',
    (now) => sql`done_at < ${now - DELIVERY_RETENTION_MS}
      and (once_key is null or once_key not like ${`${ONCE_IN_REPOSITORY}%`})`,
  ),
  deleteRows('installation_events', (now) => sql`received_at < ${now - DELIVERY_RETENTION_MS}`),
  // Those that no limit of a day counts any more.
  deleteRows('run_starts', (now) => sql`started_at <= ${now - DAY_MS}`),
  { maxRows: MAX_OWNERS_PER_BATCH, deleteBatch: deleteOldRuns },
  { maxRows: MAX_OWNERS_PER_BATCH, deleteBatch: deleteOldAnswers },
  { maxRows: MAX_OWNERS_PER_BATCH, deleteBatch: deleteUninstalled },
];

/**
 * Deletes one batch of expired rows, each kind in its own transaction; true if there is more. The ledger loses only its
 * comment texts. Does nothing while another process cleans up.
 */
export async function deleteExpired(db: Kysely<DatabaseSchema>, now: number): Promise<boolean> {
  let hasMore = false;
  for (const { maxRows, deleteBatch } of CLEANUP_TASKS) {
    const deleted = await db.transaction().execute(async (transaction) => {
      return (await tryCleanupLock(transaction)) ? deleteBatch(transaction, now) : 0;
    });
    hasMore ||= deleted >= maxRows;
  }
  return hasMore;
}

async function tryCleanupLock(transaction: Transaction<DatabaseSchema>): Promise<boolean> {
  const { rows } = await sql<{ acquired: boolean }>`
    select pg_try_advisory_xact_lock(${CLEANUP_LOCK}::bigint) as acquired
  `.execute(transaction);
  return rows[0]?.acquired === true;
}

/** Runs without recent changes, on unclaimed pull requests without active or pending work. */
async function deleteOldRuns(transaction: Transaction<DatabaseSchema>, now: number): Promise<number> {
  const before = now - RUN_RETENTION_MS;
  const { rows } = await sql<{ run_id: string }>`
    select runs.run_id from runs join pulls on pulls.pull_key = runs.pull_key
    where runs.updated_at < ${before}
      and (pulls.run_id is distinct from runs.run_id or not pulls.active)
      and (pulls.lease_until is null or pulls.lease_until <= ${now})
      and not exists (
        select 1 from proposals where proposals.pull_key = runs.pull_key and proposals.run_id = runs.run_id
          and (proposals.updated_at >= ${before} or proposals.state in ('proposed', 'approved', 'executing'))
      )
      and not exists (select 1 from inbox where inbox.pull_key = runs.pull_key and inbox.done_at is null)
      and not exists (select 1 from effects where effects.pull_key = runs.pull_key and effects.done_at is null)
    order by runs.updated_at limit ${MAX_OWNERS_PER_BATCH}
    for update of pulls skip locked
  `.execute(transaction);
  const ids = rows.map(({ run_id }) => run_id);
  if (ids.length > 0) await deleteRuns(transaction, ids);
  return ids.length;
}

async function deleteRuns(transaction: Transaction<DatabaseSchema>, ids: readonly string[]): Promise<void> {
  await sql`
    update votes set text = null from proposals
    where proposals.run_id in (${sql.join(ids)}) and votes.pull_key = proposals.pull_key
      and votes.proposal_id = proposals.proposal_id and votes.text is not null
  `.execute(transaction);
  await eraseAnswers(transaction, ids);
  await transaction.updateTable('proposal_outcomes').set({ note: null }).where('run_id', 'in', ids).execute();
  // Raises the fencing token, so that a stalled holder cannot continue with deleted runs.
  const keys = transaction.selectFrom('runs').select('pull_key').where('run_id', 'in', ids);
  await transaction.updateTable('pulls').set({ fence: sql`fence + 1` }).where('pull_key', 'in', keys).execute();
  for (const table of ['messages', 'proposals', 'runs'] as const)
    await transaction.deleteFrom(table).where('run_id', 'in', ids).execute();
  await transaction.updateTable('pulls').set({ run_id: null }).where('run_id', 'in', ids).execute();
}

/**
 * Erases people's answers to the questions of these runs. A question is stored with its run only, and a run that
 * another version stored can be without any.
 */
async function eraseAnswers(transaction: Transaction<DatabaseSchema>, runIds: readonly string[]): Promise<void> {
  const runs = await transaction
    .selectFrom('runs')
    .select(['pull_key', 'state'])
    .where('run_id', 'in', runIds)
    .execute();
  for (const { pull_key: pullKey, state } of runs) {
    const { questions = [] } = fromStored<Partial<Run>>(state);
    if (questions.length === 0) continue;
    const ids = questions.map(({ id }) => id);
    await transaction
      .updateTable('votes')
      .set({ text: null })
      .where('pull_key', '=', pullKey)
      .where('proposal_id', 'in', ids)
      .execute();
  }
}

/** Answered questions, once the newest of an unclaimed pull request is old. */
async function deleteOldAnswers(transaction: Transaction<DatabaseSchema>, now: number): Promise<number> {
  const { rows } = await sql<{ pull_key: string; state: string }>`
    select pull_key, state from pulls
    where questions_answered_at < ${now - RUN_RETENTION_MS} and (lease_until is null or lease_until <= ${now})
    order by questions_answered_at limit ${MAX_OWNERS_PER_BATCH}
    for update skip locked
  `.execute(transaction);
  for (const { pull_key: pullKey, state } of rows) {
    const kept: StoredPullState = { ...fromStored<StoredPullState>(state), answeredQuestions: [] };
    // As for runs: a stalled holder cannot continue with deleted answers.
    await transaction
      .updateTable('pulls')
      .set({ state: toStored(kept), questions_answered_at: null, fence: sql`fence + 1` })
      .where('pull_key', '=', pullKey)
      .execute();
  }
  return rows.length;
}

/** Deletes all data of an uninstalled account. The ledger, without comment texts, and delivery ids stay (I15). */
async function deleteUninstalled(transaction: Transaction<DatabaseSchema>, now: number): Promise<number> {
  const { rows } = await sql<{ pull_key: string }>`
    select pull_key from pulls
    where installation_id in (select uninstalled_installation_id from installation_events where received_at < ${now - UNINSTALL_GRACE_MS})
    limit ${MAX_OWNERS_PER_BATCH}
    for update skip locked
  `.execute(transaction);
  const keys = rows.map(({ pull_key }) => pull_key);
  if (keys.length > 0) await deletePulls(transaction, keys, now);
  return keys.length;
}

async function deletePulls(
  transaction: Transaction<DatabaseSchema>,
  keys: readonly string[],
  now: number,
): Promise<void> {
  const runs = transaction.selectFrom('runs').select('run_id').where('pull_key', 'in', keys);
  await transaction.deleteFrom('messages').where('run_id', 'in', runs).execute();
  await transaction.updateTable('votes').set({ text: null }).where('pull_key', 'in', keys).execute();
  await transaction
    .updateTable('proposal_outcomes')
    .set({ note: null, record: null })
    .where('pull_key', 'in', keys)
    .execute();
  for (const table of ['proposals', 'runs', 'run_starts', 'effects'] as const)
    await transaction.deleteFrom(table).where('pull_key', 'in', keys).execute();
  await transaction.deleteFrom('inbox').where('pull_key', 'in', keys).where('delivery_id', 'is', null).execute();
  await transaction
    .updateTable('inbox')
    .set({ signal: null, error: null, dead_lettered: false, done_at: sql`coalesce(done_at, ${now}::bigint)` })
    .where('pull_key', 'in', keys)
    .execute();
  await transaction.deleteFrom('pulls').where('pull_key', 'in', keys).execute();
}
