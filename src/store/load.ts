import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { PullRef } from '../command/intent.ts';
import type { Message } from '../prompt/message.ts';
import type { NamedProposals } from '../run/named-proposals.ts';
import type { Proposal, ProposalState } from '../run/proposal.ts';
import { type Pull, RUN_SCHEMA, type Run } from '../run/run.ts';
import type { PullState } from './pull-state.ts';
import type { KnownRun } from './store.ts';
import { fromStored } from './stored-json.ts';
import type { Tables } from './tables.ts';
import { UnknownSchema } from './unknown-schema.ts';

/** What is in the database exactly as it is here: objects that were loaded or saved. Nothing in a `Pull` is ever changed in place. */
export type Unchanged = WeakSet<object>;

/** Letters of JSON that take some milliseconds to be read: what else waits for the process comes in between. */
const MUCH = 200_000;

const STATES: readonly ProposalState[] = ['proposed', 'approved', 'executing'];
/** Written out, as the index on it wants it. */
const OPEN = sql`state in (${sql.join(STATES.map((state) => sql.lit(state)))})`;

/**
 * The pull request with its current run, that run's proposals, every one that is open, and those named; never the whole history. Two queries.
 * Throws `UnknownSchema` where any of that was stored in a form that this version does not know (S84).
 */
export async function load(
  db: Kysely<Tables>,
  unchanged: Unchanged,
  pullKey: string,
  named: NamedProposals,
): Promise<Pull> {
  const row = await db
    .selectFrom('pulls')
    .leftJoin('runs', 'runs.run_id', 'pulls.run_id')
    .select(['pulls.state', 'pulls.run_id', 'runs.schema', 'runs.state as run'])
    .where('pulls.pull_key', '=', pullKey)
    .executeTakeFirst();
  if (row === undefined) throw new Error(`No pull request ${pullKey} is stored`);
  const run = row.run === null ? null : fromStored<Run>(known(pullKey, row.schema, row.run));
  const proposals = await loadProposals(db, pullKey, row.run_id, named);
  for (const loaded of [...proposals, ...(run === null ? [] : [run])]) unchanged.add(loaded);
  return { ...fromStored<PullState>(row.state), run, proposals };
}

/**
 * Each kind is looked up by an index of its own. Asked for at once, they are looked for among all proposals that the pull request
 * ever had: values are not known when a statement is planned, and the index on what is open is of no use for such a plan.
 */
async function loadProposals(
  db: Kysely<Tables>,
  pullKey: string,
  runId: string | null,
  named: NamedProposals,
): Promise<readonly Proposal[]> {
  const kinds = [
    OPEN,
    ...(runId === null ? [] : [sql`run_id = ${runId}`]),
    ...(named.ids.length === 0 ? [] : [sql`proposal_id in (${sql.join(named.ids)})`]),
    ...(named.commentId === null ? [] : [sql`comment_id = ${named.commentId}`, standsFormerly(named.commentId)]),
  ].map((kind) => sql`select place, schema, body from proposals where pull_key = ${pullKey} and ${kind}`);
  const { rows } = await sql<ProposalRow>`
    select distinct on (place) schema, body from (${sql.join(kinds, sql` union all `)}) as found order by place
  `.execute(db);
  return proposalsOf(pullKey, rows);
}

type ProposalRow = { readonly schema: number; readonly body: string };

async function proposalsOf(pullKey: string, rows: readonly ProposalRow[]): Promise<readonly Proposal[]> {
  const proposals: Proposal[] = [];
  for (const { schema, body } of rows) {
    if (body.length > MUCH) await breath();
    proposals.push(fromStored<Proposal>(known(pullKey, schema, body)));
  }
  return proposals;
}

/** Written out as the index on it wants it. */
function standsFormerly(commentId: number) {
  return sql<boolean>`(former_comment_ids is not null and ${commentId} = any(former_comment_ids))`;
}

function known(pullKey: string, schema: number | null, stored: string): string {
  if (schema !== RUN_SCHEMA) throw new UnknownSchema(pullKey, schema ?? 0);
  return stored;
}

/** A run that may be over, as it was saved last. Throws `UnknownSchema` as `load` does. */
export async function loadRun(db: Kysely<Tables>, pullKey: string, runId: string): Promise<KnownRun | null> {
  const row = await db
    .selectFrom('runs')
    .select(['schema', 'state'])
    .where('run_id', '=', runId)
    .where('pull_key', '=', pullKey)
    .executeTakeFirst();
  if (row === undefined) return null;
  const rows = await db
    .selectFrom('proposals')
    .select(['schema', 'body'])
    .where('pull_key', '=', pullKey)
    .where('run_id', '=', runId)
    .orderBy('place')
    .execute();
  return {
    run: fromStored<Run>(known(pullKey, row.schema, row.state)),
    proposals: await proposalsOf(pullKey, rows),
  };
}

/** Where the pull request is; its row has one form in all versions. */
export async function refOf(db: Kysely<Tables>, pullKey: string): Promise<PullRef> {
  const row = await db.selectFrom('pulls').select('state').where('pull_key', '=', pullKey).executeTakeFirst();
  if (row === undefined) throw new Error(`No pull request ${pullKey} is stored`);
  return fromStored<PullState>(row.state).ref;
}

/** A run's messages, from the first. */
export async function transcript(db: Kysely<Tables>, runId: string): Promise<readonly Message[]> {
  const rows = await db.selectFrom('messages').select('body').where('run_id', '=', runId).orderBy('seq').execute();
  return rows.map((row) => fromStored<Message>(row.body));
}
