import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TranscriptMessage } from '../../core/state/conversation.ts';
import type { PullRequestRef } from '../../core/state/intent.ts';
import type { Proposal, ProposalState } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { FinishedRun, Run } from '../../core/state/run.ts';
import type { ProposalSelector } from '../../core/step/facts.ts';
import { UnsupportedSchemaError } from './engine/errors.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA } from './engine/schema.ts';
import type { StoredRun } from './store.ts';

/** Loaded or saved objects that equal their stored row. It works by identity: a `PullState` is never mutated. */
export type SavedObjects = WeakSet<object>;

const OPEN_STATES: readonly ProposalState[] = ['proposed', 'approved', 'executing'];

/** Literals, because the partial index matches only this exact condition. */
const IS_OPEN = sql`state in (${sql.join(OPEN_STATES.map((state) => sql.lit(state)))})`;

/**
 * Loads the pull request with its current run, that run's proposals, all open proposals and the named ones; never the
 * whole history. Throws `UnsupportedSchemaError` if a part has an unknown schema version (S84).
 */
export async function loadPullState(
  db: Kysely<DatabaseSchema>,
  savedObjects: SavedObjects,
  pullRequestKey: string,
  named: ProposalSelector,
): Promise<PullState> {
  const { rows } = await sql<LoadedRow>`
    with pull as materialized (
      select pulls.state, pulls.run_id, runs.schema, runs.state as run
      from pulls left join runs on runs.run_id = pulls.run_id where pulls.pull_key = ${pullRequestKey}
    )
    select 0 as seq, state, schema, run as body from pull
    union all
    select seq, null as state, schema, body from (
      select distinct on (seq) seq, schema, body from (${selectProposals(pullRequestKey, named)}) as selected
    ) as proposals
    order by seq
  `.execute(db);
  const [first, ...others] = rows;
  if (first === undefined || first.state === null) throw new Error(`No pull request ${pullRequestKey} is stored`);
  const run =
    first.body === null ? null : fromStored<Run>(requireKnownSchema(pullRequestKey, first.schema, first.body));
  const proposals = parseProposals(pullRequestKey, others.filter(isProposal));
  for (const loaded of [...proposals, ...(run === null ? [] : [run])]) savedObjects.add(loaded);
  return { ...fromStored<StoredPullState>(first.state), run, proposals };
}

type LoadedRow = { readonly state: string | null; readonly schema: number | null; readonly body: string | null };

type ProposalRow = { readonly schema: number; readonly body: string };

function isProposal(row: LoadedRow): row is LoadedRow & ProposalRow {
  return row.schema !== null && row.body !== null;
}

/**
 * One subquery for each condition, so that each uses its own index. With a single `or`, the planner would scan all
 * proposals of the pull request.
 */
function selectProposals(pullRequestKey: string, { ids, commentId }: ProposalSelector): RawBuilder<unknown> {
  const queries = [
    IS_OPEN,
    sql`run_id = (select run_id from pull)`,
    ...(ids.length === 0 ? [] : [sql`proposal_id in (${sql.join(ids)})`]),
    ...(commentId === null ? [] : [sql`comment_id = ${commentId}`]),
  ].map(
    (condition) => sql`select seq, schema, body from proposals where pull_key = ${pullRequestKey} and ${condition}`,
  );
  return sql.join(queries, sql` union all `);
}

function parseProposals(pullRequestKey: string, rows: readonly ProposalRow[]): readonly Proposal[] {
  return rows.map(({ schema, body }) => fromStored<Proposal>(requireKnownSchema(pullRequestKey, schema, body)));
}

function requireKnownSchema(pullRequestKey: string, schema: number | null, stored: string): string {
  if (schema !== RUN_SCHEMA) throw new UnsupportedSchemaError(pullRequestKey, schema ?? 0);
  return stored;
}

/** Loads a current or earlier run as last saved. Throws `UnsupportedSchemaError` as `loadPullState` does. */
export async function loadRun(
  db: Kysely<DatabaseSchema>,
  pullRequestKey: string,
  runId: string,
): Promise<StoredRun | null> {
  const row = await db
    .selectFrom('runs')
    .select(['schema', 'state'])
    .where('run_id', '=', runId)
    .where('pull_key', '=', pullRequestKey)
    .executeTakeFirst();
  if (row === undefined) return null;
  const rows = await db
    .selectFrom('proposals')
    .select(['schema', 'body'])
    .where('pull_key', '=', pullRequestKey)
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute();
  return {
    run: fromStored<Run>(requireKnownSchema(pullRequestKey, row.schema, row.state)),
    proposals: parseProposals(pullRequestKey, rows),
  };
}

/** Decided changes of one earlier run that are read, newest first. */
const MAX_DECIDED_PER_RUN = 20;

/**
 * The newest other runs of the pull request with their decided changes, oldest first. Skips runs of another schema
 * version.
 */
export async function listEarlierRuns(
  db: Kysely<DatabaseSchema>,
  pullRequestKey: string,
  runId: string,
  limit: number,
): Promise<readonly FinishedRun[]> {
  const { rows } = await sql<{ state: string; proposals: readonly string[] }>`
    select state, array(
      select body from proposals
      where proposals.pull_key = runs.pull_key and proposals.run_id = runs.run_id and schema = ${RUN_SCHEMA}
        and state in ('completed', 'rejected')
      order by seq desc limit ${MAX_DECIDED_PER_RUN}
    ) as proposals
    from runs where pull_key = ${pullRequestKey} and run_id <> ${runId} and schema = ${RUN_SCHEMA}
    order by created_at desc, run_id desc limit ${limit}
  `.execute(db);
  return rows.toReversed().map(({ state, proposals }) => ({
    run: fromStored<Run>(state),
    proposals: proposals.toReversed().map((body) => fromStored<Proposal>(body)),
  }));
}

/** Works for every schema version of the run: the row of the pull request has none. */
export async function loadRef(db: Kysely<DatabaseSchema>, pullRequestKey: string): Promise<PullRequestRef> {
  const row = await db.selectFrom('pulls').select('state').where('pull_key', '=', pullRequestKey).executeTakeFirst();
  if (row === undefined) throw new Error(`No pull request ${pullRequestKey} is stored`);
  return fromStored<StoredPullState>(row.state).ref;
}

export async function loadTranscript(db: Kysely<DatabaseSchema>, runId: string): Promise<readonly TranscriptMessage[]> {
  const rows = await db.selectFrom('messages').select('body').where('run_id', '=', runId).orderBy('seq').execute();
  return rows.map((row) => fromStored<TranscriptMessage>(row.body));
}

/** The JSON in the row of a pull request. Its run and proposals have tables of their own. */
export type StoredPullState = Omit<PullState, 'run' | 'proposals'>;

export function toStoredPullState(pull: PullState): StoredPullState {
  const { run: _run, proposals: _proposals, ...state } = pull;
  return state;
}
