import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

const DAY_MS = 86_400_000;
/** Deliveries that were dealt with: GitHub shows and sends them again for some days, and none may count twice (F20). */
export const DELIVERIES_MS = 30 * DAY_MS;
/** Runs that are over, with their proposals, transcripts and words. */
export const RUNS_MS = 90 * DAY_MS;
/** After the App was removed: what was under way then has ended. */
export const REMOVED_MS = 3_600_000;

/** Rows, or runs and pull requests with all of theirs, of one transaction. */
const ROWS = 1_000;
const OWNERS = 25;
/** Any number will do, as long as nothing else in the database locks the same one. */
const RETENTION_LOCK = 8_261_947_302;

/** Removes at most `most` of one kind of thing; answers how many there were. */
type Kind = {
  readonly most: number;
  readonly remove: (transaction: Transaction<Tables>, now: number) => Promise<number>;
};

const KINDS: readonly Kind[] = [
  { most: ROWS, remove: removeDeliveries },
  { most: ROWS, remove: removeEffects },
  { most: ROWS, remove: removeNotices },
  { most: OWNERS, remove: removeRuns },
  { most: OWNERS, remove: removeUninstalled },
];

/**
 * Forgets a batch of what was kept long enough, each kind in a transaction of its own; true where there is more. Of the
 * ledger nothing goes but words. Nothing happens while another process is at it.
 */
export async function prune(db: Kysely<Tables>, now: number): Promise<boolean> {
  let more = false;
  for (const { most, remove } of KINDS) {
    const removed = await db.transaction().execute(async (transaction) => {
      return (await isAlone(transaction)) ? remove(transaction, now) : 0;
    });
    more ||= removed >= most;
  }
  return more;
}

async function isAlone(transaction: Transaction<Tables>): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`
    select pg_try_advisory_xact_lock(${RETENTION_LOCK}::bigint) as alone
  `.execute(transaction);
  return rows[0]?.alone === true;
}

/** What was put aside stays as long as a run does: somebody may look into it. */
async function removeDeliveries(transaction: Transaction<Tables>, now: number): Promise<number> {
  const { rows } = await sql`
    delete from inbox where id in (
      select id from inbox where done_at < ${now - DELIVERIES_MS} and (not parked or done_at < ${now - RUNS_MS})
      order by id limit ${ROWS}
    ) returning id
  `.execute(transaction);
  return rows.length;
}

async function removeEffects(transaction: Transaction<Tables>, now: number): Promise<number> {
  const { rows } = await sql`
    delete from effects where id in (
      select id from effects where done_at < ${now - DELIVERIES_MS} order by id limit ${ROWS}
    ) returning id
  `.execute(transaction);
  return rows.length;
}

async function removeNotices(transaction: Transaction<Tables>, now: number): Promise<number> {
  const { rows } = await sql`
    delete from notices where delivery_id in (
      select delivery_id from notices where received_at < ${now - DELIVERIES_MS} limit ${ROWS}
    ) returning delivery_id
  `.execute(transaction);
  return rows.length;
}

/** Runs that nobody touched for long, on pull requests where nothing goes on or waits, and where nobody is at work. */
async function removeRuns(transaction: Transaction<Tables>, now: number): Promise<number> {
  const before = now - RUNS_MS;
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
    order by runs.updated_at limit ${OWNERS}
    for update of pulls skip locked
  `.execute(transaction);
  const ids = rows.map(({ run_id }) => run_id);
  if (ids.length > 0) await forgetRuns(transaction, ids);
  return ids.length;
}

async function forgetRuns(transaction: Transaction<Tables>, ids: readonly string[]): Promise<void> {
  await sql`
    update votes set text = null from proposals
    where proposals.run_id in (${sql.join(ids)}) and votes.pull_key = proposals.pull_key
      and votes.proposal_id = proposals.proposal_id and votes.text is not null
  `.execute(transaction);
  await transaction.updateTable('outcomes').set({ note: null }).where('run_id', 'in', ids).execute();
  // Nobody may go on with what it remembers of them: neither whoever held them last, nor who was stopped and still thinks so.
  const keys = transaction.selectFrom('runs').select('pull_key').where('run_id', 'in', ids);
  await transaction
    .updateTable('pulls')
    .set({ worker: null, fence: sql`fence + 1` })
    .where('pull_key', 'in', keys)
    .execute();
  await transaction.deleteFrom('messages').where('run_id', 'in', ids).execute();
  await transaction.deleteFrom('proposals').where('run_id', 'in', ids).execute();
  await transaction.deleteFrom('runs').where('run_id', 'in', ids).execute();
  await transaction.updateTable('pulls').set({ run_id: null }).where('run_id', 'in', ids).execute();
}

/** Everything of an account that removed the App, but the ledger without its words, and the ids of deliveries (I15). */
async function removeUninstalled(transaction: Transaction<Tables>, now: number): Promise<number> {
  const { rows } = await sql<{ pull_key: string }>`
    select pull_key from pulls
    where installation_id in (select uninstalled from notices where received_at < ${now - REMOVED_MS})
    limit ${OWNERS}
    for update skip locked
  `.execute(transaction);
  const keys = rows.map(({ pull_key }) => pull_key);
  if (keys.length > 0) await forgetPulls(transaction, keys, now);
  return keys.length;
}

async function forgetPulls(transaction: Transaction<Tables>, keys: readonly string[], now: number): Promise<void> {
  const runs = transaction.selectFrom('runs').select('run_id').where('pull_key', 'in', keys);
  await transaction.deleteFrom('messages').where('run_id', 'in', runs).execute();
  await transaction.updateTable('votes').set({ text: null }).where('pull_key', 'in', keys).execute();
  await transaction.updateTable('outcomes').set({ note: null, record: null }).where('pull_key', 'in', keys).execute();
  await transaction.deleteFrom('proposals').where('pull_key', 'in', keys).execute();
  await transaction.deleteFrom('runs').where('pull_key', 'in', keys).execute();
  await transaction.deleteFrom('effects').where('pull_key', 'in', keys).execute();
  await transaction.deleteFrom('inbox').where('pull_key', 'in', keys).where('delivery_id', 'is', null).execute();
  await transaction
    .updateTable('inbox')
    .set({ signal: null, error: null, parked: false, done_at: sql`coalesce(done_at, ${now}::bigint)` })
    .where('pull_key', 'in', keys)
    .execute();
  await transaction.deleteFrom('pulls').where('pull_key', 'in', keys).execute();
  await sql`
    delete from budgets where installation_id in (select uninstalled from notices)
      and not exists (select 1 from pulls where pulls.installation_id = budgets.installation_id)
  `.execute(transaction);
}
