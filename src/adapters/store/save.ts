import { type Insertable, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { PullRequestRef } from '../../core/state/intent.ts';
import { DAY_MS, type ReachedRunLimit, type RunStart } from '../../core/state/limits.ts';
import { isFinal, type Proposal } from '../../core/state/proposal.ts';
import { hasActiveWork } from '../../core/state/pull-state.ts';
import type { Run } from '../../core/state/run.ts';
import type { Reason } from '../../core/step/reasons.ts';
import { reportsCommit, type Signal } from '../../core/step/signals.ts';
import type { Step } from '../../core/step/step.ts';
import { withClaim } from './claims.ts';
import { enqueueCtes, lockedPullCte, NOT_RUNNING } from './effects.ts';
import { type DatabaseSchema, fromStored, insertCte, RUN_SCHEMA, toStored } from './engine/schema.ts';
import { completeSignalCte, hasPendingSignal } from './inbox.ts';
import { committedChangesCte, outcomesCte, votesCte } from './ledger.ts';
import { type SavedObjects, toStoredPullState } from './load.ts';
import { repositoryName } from './pauses.ts';
import type { Claim, SaveResult, StoredSignal } from './store.ts';

/** The database, and the objects that it already holds unchanged. */
export type SaveTarget = { readonly db: Kysely<DatabaseSchema>; readonly savedObjects: SavedObjects };

/**
 * Saves a decided signal and marks it done, in one transaction; `lost` also if the signal was already done. A run that
 * a limit forbids meanwhile is not saved (`run-limit-reached`), and its signal has to be decided again.
 */
export async function save(
  target: SaveTarget,
  claim: Claim,
  signal: StoredSignal,
  step: Step,
  now: number,
): Promise<SaveResult> {
  const completed = completeSignalCte(claim, signal, step.reason, now);
  const { runStart } = step;
  // Most steps are one statement, which is a transaction of its own.
  if (runStart === null && !step.cancelsPendingWork) return saveStep(target, claim, completed, step, now);
  return target.db.transaction().execute(async (transaction) => {
    // Before anything is written, so that nothing needs to be taken back.
    if (runStart !== null && !(await mayStartRun(transaction, step.pull.ref, runStart, now)))
      return 'run-limit-reached';
    const inTransaction = { ...target, db: transaction };
    if (!step.cancelsPendingWork) return saveStep(inTransaction, claim, completed, step, now);
    const { rows } = await sql`with ${completed} select from pull`.execute(transaction);
    if (rows.length === 0) return 'lost';
    await cancelPendingWork(transaction, claim.pullRequestKey, step.reason, now);
    return saveStep(inTransaction, claim, lockedPullCte(claim.pullRequestKey), step, now);
  });
}

/**
 * Saves a step without a signal of the inbox, and only while no signal is pending. Pending comments are decided first;
 * a comment that arrives during the save is stored after the step.
 */
export function saveIfInboxEmpty(target: SaveTarget, claim: Claim, step: Step, now: number): Promise<SaveResult> {
  return withClaim<SaveResult, SaveResult>(target.db, claim, 'no deliveries', 'lost', async (transaction) => {
    if (await hasPendingSignal(transaction, claim.pullRequestKey, now)) return 'inbox-not-empty';
    return saveStep({ ...target, db: transaction }, claim, lockedPullCte(claim.pullRequestKey), step, now);
  });
}

/**
 * Saves the parts of a step that are new, in one statement. `pullCte` is the expression `pull`, which locks the row of
 * the pull request; if it has no row, the claim is lost and nothing is written.
 */
async function saveStep(
  { db, savedObjects }: SaveTarget,
  { pullRequestKey }: Claim,
  pullCte: RawBuilder<unknown>,
  step: Step,
  now: number,
): Promise<'saved' | 'lost'> {
  const { run, proposals } = step.pull;
  const changed = proposals.filter((proposal) => !savedObjects.has(proposal));
  const final = changed.filter((proposal) => isFinal(proposal.state));
  const ctes = [
    pullCte,
    ...(run === null || savedObjects.has(run) ? [] : [runCte(pullRequestKey, run, now)]),
    ...insertCte('run_starts', toRunStartRows(pullRequestKey, step, now)),
    ...insertCte('messages', toMessageRows(step)),
    ...enqueueCtes(pullRequestKey, step.effects, now),
    ...proposalsCte(pullRequestKey, changed, now),
    ...outcomesCte(pullRequestKey, { proposals: final, run }, now),
    ...votesCte(pullRequestKey, step),
    ...committedChangesCte(pullRequestKey, step.ledgerCommits, now),
  ];
  const { numAffectedRows } = await sql`
    with ${sql.join(ctes)}
    update pulls set state = ${toStored(toStoredPullState(step.pull))}, run_id = ${run?.id ?? null},
      repository = ${repositoryName(step.pull.ref)}, active = ${hasActiveWork(step.pull)},
      questions_answered_at = ${questionsAnsweredAt(step.pull)}
    from pull where pulls.pull_key = ${pullRequestKey}
  `.execute(db);
  return Number(numAffectedRows) > 0 ? 'saved' : 'lost';
}

/** The run of another pull request violates `not null`, which takes the whole step back. */
function runCte(pullRequestKey: string, run: Run, now: number): RawBuilder<unknown> {
  return sql`saved_run as (
    insert into runs (run_id, pull_key, schema, state, created_at, updated_at)
    select ${run.id}, ${pullRequestKey}, ${RUN_SCHEMA}::integer, ${toStored(run)}, ${now}::bigint, ${now}::bigint from pull
    on conflict (run_id) do update set pull_key = case when runs.pull_key = excluded.pull_key then runs.pull_key end,
      schema = excluded.schema, state = excluded.state, updated_at = excluded.updated_at
  )`;
}

function toRunStartRows(pullRequestKey: string, { runStart }: Step, now: number) {
  return runStart === null ? [] : [{ pull_key: pullRequestKey, requester_id: runStart.requesterId, started_at: now }];
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

/** Saves new and changed proposals. An id of another run violates `not null`, which takes the whole step back. */
function proposalsCte(
  pullRequestKey: string,
  proposals: readonly Proposal[],
  now: number,
): readonly RawBuilder<unknown>[] {
  const rows = proposals.map((proposal) => toProposalRow(pullRequestKey, proposal, now));
  const ending = sql`
    on conflict (pull_key, proposal_id)
    do update set run_id = case when proposals.run_id = excluded.run_id then proposals.run_id end,
      schema = excluded.schema, state = excluded.state, comment_id = excluded.comment_id, digest = excluded.digest,
      body = excluded.body, updated_at = excluded.updated_at
    returning proposal_id, seq`;
  return insertCte('proposals', rows, { ending });
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

/** First key of the advisory locks under which runs start; the second one is of the repository. */
const RUN_START_LOCKS = 0x7c51;

/**
 * Whether the transaction may save the start of a run, or of its limits anew. Starts in one repository wait for each
 * other here until the end of their transactions, and each counts those before it, so that no two of them take the last
 * free place.
 */
async function mayStartRun(
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
