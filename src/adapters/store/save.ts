import { type Insertable, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Proposal } from '../../core/state/proposal.ts';
import { isFinal } from '../../core/state/proposal-lifecycle.ts';
import { hasActiveWork } from '../../core/state/pull-state.ts';
import type { Run } from '../../core/state/run.ts';
import type { Reason } from '../../core/step/reasons.ts';
import { reportsCommit, type Signal } from '../../core/step/signals.ts';
import type { Step } from '../../core/step/step.ts';
import { withClaim } from './claims.ts';
import { enqueueCtes, NOT_RUNNING } from './effects.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA, toStored } from './engine/schema.ts';
import { completeSignal, hasPendingSignal } from './inbox.ts';
import { type SavedObjects, toStoredPullState } from './load.ts';
import { repositoryName } from './pauses.ts';
import { countRunStart, mayStartRun } from './run-limits.ts';
import { saveCommittedChanges, saveOutcomes, saveVotes } from './save-ledger.ts';
import type { Claim, SaveResult, StoredSignal } from './store.ts';

/** A proposal can hold a whole file, so one insert is bounded. */
const MAX_INSERT_ROWS = 20;

/** The database, and the objects that it already holds unchanged. */
export type SaveTarget = { readonly db: Kysely<DatabaseSchema>; readonly savedObjects: SavedObjects };

/**
 * Saves a decided signal and marks it done, in one transaction; `lost` also if the signal was already done. A run that
 * a limit forbids meanwhile is not saved (`run-limit-reached`), and its signal has to be decided again.
 */
export function save(
  { db, savedObjects }: SaveTarget,
  claim: Claim,
  signal: StoredSignal,
  step: Step,
  now: number,
): Promise<SaveResult> {
  return db.transaction().execute(async (transaction) => {
    const { runStart } = step;
    // Before anything is written, so that nothing needs to be taken back.
    if (runStart !== null && !(await mayStartRun(transaction, step.pull.ref, runStart, now)))
      return 'run-limit-reached';
    if (!(await completeSignal(transaction, claim, signal, step.reason, now))) return 'lost';
    if (runStart !== null) await countRunStart(transaction, claim.pullRequestKey, runStart, now);
    await saveStep(transaction, savedObjects, claim.pullRequestKey, step, now);
    return 'saved';
  });
}

/**
 * Saves a step without a signal of the inbox, and only while no signal is pending. Pending comments are decided first;
 * a comment that arrives during the save is stored after the step.
 */
export function saveIfInboxEmpty(
  { db, savedObjects }: SaveTarget,
  claim: Claim,
  step: Step,
  now: number,
): Promise<SaveResult> {
  return withClaim<SaveResult, SaveResult>(db, claim, 'no deliveries', 'lost', async (transaction) => {
    if (await hasPendingSignal(transaction, claim.pullRequestKey, now)) return 'inbox-not-empty';
    await saveStep(transaction, savedObjects, claim.pullRequestKey, step, now);
    return 'saved';
  });
}

/** Saves the parts of a step that are new. The transaction has locked the row of the pull request. */
async function saveStep(
  transaction: Transaction<DatabaseSchema>,
  savedObjects: SavedObjects,
  pullRequestKey: string,
  step: Step,
  now: number,
): Promise<void> {
  const { run, proposals } = step.pull;
  if (step.cancelsPendingWork) await cancelPendingWork(transaction, pullRequestKey, step.reason, now);
  await saveProgress(transaction, pullRequestKey, step, run !== null && savedObjects.has(run), now);
  const changed = proposals.filter((proposal) => !savedObjects.has(proposal));
  await saveProposals(transaction, pullRequestKey, { proposals: changed, run }, now);
  await saveVotes(transaction, pullRequestKey, step);
  await saveCommittedChanges(transaction, pullRequestKey, step.ledgerCommits, now);
}

/**
 * One statement for the parts that nearly every step has: run, new messages, effects and the row of the pull request.
 */
async function saveProgress(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  step: Step,
  isRunUnchanged: boolean,
  now: number,
): Promise<void> {
  const { run } = step.pull;
  const ctes = [
    ...(run === null || isRunUnchanged ? [] : [runCte(pullRequestKey, run, now)]),
    ...(step.messages.length === 0 ? [] : [messagesCte(step)]),
    ...enqueueCtes(pullRequestKey, step.effects, now),
  ];
  const isRunOurs = run === null || isRunUnchanged ? sql`true` : sql`exists (select from saved_run)`;
  const { rows } = await sql<{ readonly isRunOurs: boolean }>`
    ${ctes.length === 0 ? sql`` : sql`with ${sql.join(ctes)}`}
    update pulls set state = ${toStored(toStoredPullState(step.pull))}, run_id = ${run?.id ?? null},
      repository = ${repositoryName(step.pull.ref)}, active = ${hasActiveWork(step.pull)},
      questions_answered_at = ${questionsAnsweredAt(step.pull)}
    where pull_key = ${pullRequestKey}
    returning ${isRunOurs} as "isRunOurs"
  `.execute(transaction);
  if (rows[0]?.isRunOurs !== true) throw new Error(`Run ${run?.id} belongs to another pull request`);
}

function runCte(pullRequestKey: string, run: Run, now: number): RawBuilder<unknown> {
  return sql`saved_run as (
    insert into runs (run_id, pull_key, schema, state, created_at, updated_at)
    values (${run.id}, ${pullRequestKey}, ${RUN_SCHEMA}, ${toStored(run)}, ${now}, ${now})
    on conflict (run_id)
    do update set schema = excluded.schema, state = excluded.state, updated_at = excluded.updated_at
    where runs.pull_key = excluded.pull_key
    returning run_id
  )`;
}

function messagesCte(step: Step): RawBuilder<unknown> {
  const rows = toMessageRows(step).map(({ run_id, seq, body }) => sql`(${run_id}, ${seq}, ${body})`);
  return sql`new_messages as (insert into messages (run_id, seq, body) values ${sql.join(rows)})`;
}

/** Ms since the epoch; null if no answer is kept. */
function questionsAnsweredAt({ answeredQuestions }: Step['pull']): number | null {
  const newest = answeredQuestions.at(-1);
  return newest === undefined ? null : Date.parse(newest.answeredAt);
}

/** The run counts its messages, so the new ones are its last. Two writers of the same `seq` cannot both succeed. */
function toMessageRows({ pull: { run }, messages }: Step): readonly Insertable<DatabaseSchema['messages']>[] {
  if (messages.length === 0) return [];
  if (run === null || run.messageCount < messages.length) throw new Error('Messages without a run that counts them');
  const first = run.messageCount - messages.length;
  return messages.map((message, index) => ({ run_id: run.id, seq: first + index, body: toStored(message) }));
}

/**
 * Upserts new and changed proposals, and stores the outcome of each that is now final. The first outcome wins (S77).
 */
async function saveProposals(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  { proposals, run }: { readonly proposals: readonly Proposal[]; readonly run: Run | null },
  now: number,
): Promise<void> {
  const rows = proposals.map((proposal) => toProposalRow(pullRequestKey, proposal, now));
  for (let start = 0; start < rows.length; start += MAX_INSERT_ROWS)
    await upsertProposals(transaction, pullRequestKey, rows.slice(start, start + MAX_INSERT_ROWS));
  const final = proposals.filter((proposal) => isFinal(proposal.state));
  if (final.length > 0) await saveOutcomes(transaction, pullRequestKey, { proposals: final, run }, now);
}

async function upsertProposals(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  rows: readonly ReturnType<typeof toProposalRow>[],
): Promise<void> {
  const result = await transaction
    .insertInto('proposals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['pull_key', 'proposal_id'])
        .doUpdateSet((row) => ({
          schema: row.ref('excluded.schema'),
          state: row.ref('excluded.state'),
          comment_id: row.ref('excluded.comment_id'),
          digest: row.ref('excluded.digest'),
          body: row.ref('excluded.body'),
          updated_at: row.ref('excluded.updated_at'),
        }))
        .whereRef('proposals.run_id', '=', 'excluded.run_id'),
    )
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== BigInt(rows.length))
    throw new Error(`A proposal id of ${pullRequestKey} was given twice`);
}

function toProposalRow(pullRequestKey: string, proposal: Proposal, now: number) {
  return {
    pull_key: pullRequestKey,
    proposal_id: proposal.id,
    run_id: proposal.runId,
    schema: RUN_SCHEMA,
    state: proposal.state,
    comment_id: proposal.comment?.id ?? null,
    digest: proposal.change.digest,
    body: toStored(proposal),
    created_at: now,
    updated_at: now,
  };
}

/**
 * Cancels pending and running work alike: a later result finds its effect done. Results about a commit stay, because
 * the ledger needs them.
 */
async function cancelPendingWork(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  reason: Reason,
  now: number,
): Promise<void> {
  const commitResultIds = await findCommitResults(transaction, pullRequestKey);
  await transaction
    .updateTable('inbox')
    .set({ done_at: now, reason })
    .where('pull_key', '=', pullRequestKey)
    .where('done_at', 'is', null)
    .$if(commitResultIds.length > 0, (query) => query.where('id', 'not in', commitResultIds))
    .execute();
  await transaction
    .updateTable('effects')
    .set({ done_at: now, error: reason, ...NOT_RUNNING })
    .where('pull_key', '=', pullRequestKey)
    .where('done_at', 'is', null)
    .execute();
}

/** Ids of pending effect results that report a commit. Parsed here, because the database rejects some of their JSON. */
async function findCommitResults(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
): Promise<readonly number[]> {
  const rows = await transaction
    .selectFrom('inbox')
    .select(['id', 'signal'])
    .where('pull_key', '=', pullRequestKey)
    .where('kind', '=', 'effect-result')
    .where('done_at', 'is', null)
    .execute();
  return rows.flatMap(({ id, signal }) => (signal !== null && reportsCommit(fromStored<Signal>(signal)) ? [id] : []));
}
