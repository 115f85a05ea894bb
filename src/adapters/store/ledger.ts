import { type Kysely, type RawBuilder, sql } from 'kysely';
import { formatRange } from '../../core/edits/region.ts';
import type { CommittedChange, Proposal } from '../../core/state/proposal.ts';
import { type AnswerRecord, responseOf } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import type { Person, Vote } from '../../core/state/vote.ts';
import { type ProposalRecord, recordOf } from '../../core/step/ledger-record.ts';
import type { Step } from '../../core/step/step.ts';
import {
  type DatabaseSchema,
  fromStored,
  insertCte,
  RUN_SCHEMA,
  rowsOf,
  toPlainText,
  toStored,
} from './engine/schema.ts';
import type { StoredPullState } from './load.ts';

/** A vote as stored. */
export type VoteRow = Readonly<Omit<DatabaseSchema['votes'], 'id' | 'pull_key' | 'proposal_id'>>;

/** One change in one commit; `at` is ms since the epoch. */
export type CommittedChangeRow = Readonly<
  Omit<DatabaseSchema['committed_changes'], 'id' | 'pull_key' | 'proposal_id' | 'run_id' | 'approvers'>
> & { readonly approvers: readonly Person[] };

/**
 * `pullKeys` selects one pull request, which has several keys if the App was reinstalled. `since` (ms) is compared with
 * the time of decision, or of proposal for open ones.
 */
export type LedgerFilter = { readonly pullKeys: readonly string[] | null; readonly since: number | null };

/** Rows at a time, which bounds memory: each entry can hold a whole file. */
export const LEDGER_PAGE = 50;

/** Names one proposal of the ledger. */
export type LedgerKey = { readonly pull_key: string; readonly proposal_id: string };

type LedgerRow = {
  readonly pull_key: string;
  readonly proposal_id: string;
  readonly run_id: string;
  readonly schema: number | null;
  readonly body: string | null;
  readonly run_schema: number | null;
  readonly run: string | null;
  readonly pull: string | null;
  readonly outcome: string | null;
  readonly digest: string | null;
  readonly commit_sha: string | null;
  readonly note: string | null;
  readonly record: string | null;
  readonly votes: string;
  readonly committed_changes: string;
};

/** The proposals of the ledger, oldest first. Rows are only ever added, so pages that are read later fit together. */
export async function listLedgerKeys(
  db: Kysely<DatabaseSchema>,
  { pullKeys, since }: LedgerFilter,
): Promise<readonly LedgerKey[]> {
  const key = sql`coalesce(proposal_outcomes.pull_key, proposals.pull_key)`;
  const keys = pullKeys === null ? sql`true` : sql`${key} in (${sql.join(['', ...pullKeys])})`;
  const time =
    since === null ? sql`true` : sql`coalesce(proposal_outcomes.decided_at, proposals.created_at) >= ${since}`;
  const { rows } = await sql<LedgerKey>`
    select ${key} as pull_key, coalesce(proposal_outcomes.proposal_id, proposals.proposal_id) as proposal_id
    from proposals full join proposal_outcomes
      on proposal_outcomes.pull_key = proposals.pull_key and proposal_outcomes.proposal_id = proposals.proposal_id
    where ${keys} and ${time}
    order by coalesce(proposal_outcomes.seq, proposals.seq), pull_key, proposal_id
  `.execute(db);
  return rows;
}

/** A page of the ledger, in the order of its keys. */
export async function readLedger(
  db: Kysely<DatabaseSchema>,
  keys: readonly LedgerKey[],
): Promise<readonly LedgerEntry[]> {
  const { rows } = await sql<LedgerRow>`
    select keys.pull_key, keys.proposal_id, coalesce(proposal_outcomes.run_id, proposals.run_id) as run_id,
      proposals.schema, proposals.body, runs.schema as run_schema, runs.state as run, pulls.state as pull,
      proposal_outcomes.state as outcome, proposal_outcomes.digest, proposal_outcomes.commit_sha,
      proposal_outcomes.note, proposal_outcomes.record,
      (select coalesce(json_agg(votes order by votes.id), '[]')::text from votes
        where votes.pull_key = keys.pull_key and votes.proposal_id = keys.proposal_id) as votes,
      (select coalesce(json_agg(committed_changes order by committed_changes.id), '[]')::text from committed_changes
        where committed_changes.pull_key = keys.pull_key and committed_changes.proposal_id = keys.proposal_id) as committed_changes
    from rows from (json_to_recordset(${JSON.stringify(keys)}::json) as (pull_key text, proposal_id text))
      with ordinality as keys(pull_key, proposal_id, place)
    left join proposals on proposals.pull_key = keys.pull_key and proposals.proposal_id = keys.proposal_id
    left join proposal_outcomes
      on proposal_outcomes.pull_key = keys.pull_key and proposal_outcomes.proposal_id = keys.proposal_id
    left join runs on runs.run_id = coalesce(proposal_outcomes.run_id, proposals.run_id)
    left join pulls on pulls.pull_key = keys.pull_key
    where coalesce(proposal_outcomes.run_id, proposals.run_id) is not null
    order by keys.place
  `.execute(db);
  return rows.map(toLedgerEntry);
}

/** One proposal with its ledger rows. A part is null if it was deleted by cleanup or does not exist yet. */
export type LedgerEntry = ReturnType<typeof toLedgerEntry>;

function toLedgerEntry(row: LedgerRow) {
  const [installationId = 0, repositoryId = 0, number = 0] = row.pull_key.split('/').map(Number);
  const proposal = row.schema === RUN_SCHEMA && row.body !== null ? fromStored<Proposal>(row.body) : null;
  const run = row.run_schema === RUN_SCHEMA && row.run !== null ? fromStored<Run>(row.run) : null;
  const storedRecord = row.record === null ? null : fromStored<ProposalRecord>(row.record);
  return {
    ...{ proposalId: row.proposal_id, runId: row.run_id, installationId, repositoryId, number },
    pull: row.pull === null ? null : fromStored<StoredPullState>(row.pull).ref,
    proposal,
    record: storedRecord ?? (proposal === null ? null : recordOf(proposal, run)),
    outcome: toLedgerOutcome(row),
    votes: fromStored<VoteRow[]>(row.votes),
    committedChanges: fromStored<(Omit<CommittedChangeRow, 'approvers'> & { approvers: string })[]>(
      row.committed_changes,
    ).map((change) => ({
      ...change,
      approvers: fromStored<Person[]>(change.approvers),
    })),
  };
}

function toLedgerOutcome({ outcome: state, digest, commit_sha: commit, note }: LedgerRow) {
  return state === null || digest === null ? null : { state, digest, commit, note };
}

type AnswerRow = VoteRow & {
  readonly id: number;
  readonly pull_key: string;
  readonly proposal_id: string;
  readonly pull: string | null;
};

/** The answers of the ledger after the one with the number `after`, oldest first. */
export async function readAnswers(
  db: Kysely<DatabaseSchema>,
  { pullKeys, since, after }: LedgerFilter & { readonly after: number },
): Promise<readonly LedgerAnswer[]> {
  const keys = pullKeys === null ? sql`true` : sql`votes.pull_key in (${sql.join(['', ...pullKeys])})`;
  const time = since === null ? sql`true` : sql`votes.at >= ${new Date(since).toISOString()}`;
  const { rows } = await sql<AnswerRow>`
    select votes.*, pulls.state as pull from votes left join pulls on pulls.pull_key = votes.pull_key
    where votes.action in ('answer', 'reject-question') and votes.id > ${after} and ${keys} and ${time}
    order by votes.id limit ${sql.lit(LEDGER_PAGE)}
  `.execute(db);
  const runs = await findRuns(db, new Set(rows.map(({ pull_key }) => pull_key)));
  return rows.map((row) => toLedgerAnswer(row, runs));
}

type KeyedRun = { readonly pullKey: string; readonly run: Run };

/** The runs of these pull requests that this version can read. */
async function findRuns(db: Kysely<DatabaseSchema>, pullKeys: ReadonlySet<string>): Promise<readonly KeyedRun[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['pull_key', 'state'])
    .where('pull_key', 'in', ['', ...pullKeys])
    .where('schema', '=', RUN_SCHEMA)
    .execute();
  return rows.map(({ pull_key, state }) => ({ pullKey: pull_key, run: fromStored<Run>(state) }));
}

/** One answer to a question of the agent; `voteId` counts them, with gaps. A part is null if cleanup deleted it. */
export type LedgerAnswer = ReturnType<typeof toLedgerAnswer>;

function toLedgerAnswer(
  { id: voteId, pull_key: pullKey, proposal_id: questionId, pull, ...vote }: AnswerRow,
  runs: readonly KeyedRun[],
) {
  const [installationId = 0, repositoryId = 0, number = 0] = pullKey.split('/').map(Number);
  const [asked = null] = runs
    .filter((one) => one.pullKey === pullKey)
    .flatMap(({ run }) => run.questions.filter(({ id }) => id === questionId).map((question) => ({ run, question })));
  const ref = pull === null ? null : fromStored<StoredPullState>(pull).ref;
  return { voteId, questionId, installationId, repositoryId, number, pull: ref, asked, vote };
}

/**
 * Finds the keys of a pull request by repository name (`owner/repo`, ignoring case). Deleted pull requests are not
 * found.
 */
export async function findPullKeys(
  db: Kysely<DatabaseSchema>,
  { repository, number }: { readonly repository: string; readonly number: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('pulls')
    .select('pull_key')
    .where('number', '=', number)
    .where('repository', '=', repository.toLowerCase())
    .execute();
  return rows.map(({ pull_key }) => pull_key);
}

/**
 * Inserts the outcomes of proposals that are now final, which `new_proposals` saves. The first outcome wins: the table's
 * trigger refuses a second, different state, and so takes the whole step back (S77).
 */
export function outcomesCte(
  pullRequestKey: string,
  { proposals, run }: { readonly proposals: readonly Proposal[]; readonly run: Run | null },
  now: number,
): readonly RawBuilder<unknown>[] {
  if (proposals.length === 0) return [];
  const rows = proposals.map((proposal) => toOutcomeRow(pullRequestKey, proposal, run, now));
  return [
    sql`new_outcomes as (
      insert into proposal_outcomes
        (pull_key, proposal_id, run_id, state, digest, commit_sha, note, decided_at, record, seq)
      select given.pull_key, given.proposal_id, given.run_id, given.state, given.digest, given.commit_sha, given.note,
        given.decided_at, given.record, new_proposals.seq
      from new_proposals join ${rowsOf('proposal_outcomes', rows)} on given.proposal_id = new_proposals.proposal_id
      on conflict (pull_key, proposal_id) do update set state = excluded.state
    )`,
  ];
}

function toOutcomeRow(pullRequestKey: string, proposal: Proposal, run: Run | null, now: number) {
  return {
    pull_key: pullRequestKey,
    proposal_id: proposal.id,
    run_id: proposal.runId,
    state: proposal.state,
    // The committed version counts: the votes already have the digest that people saw.
    digest: proposal.committed?.digest ?? proposal.change.digest,
    commit_sha: proposal.commitSha,
    note: proposal.note === null ? null : toPlainText(proposal.note),
    decided_at: now,
    record: toStored(recordOf(proposal, run)),
  };
}

/** Inserts votes, and answers to questions among them. */
export function votesCte(
  pullRequestKey: string,
  step: Pick<Step, 'votes' | 'answers'>,
): readonly RawBuilder<unknown>[] {
  const votes: readonly VoteToSave[] = [...step.votes, ...step.answers.map(answerToVote)];
  const rows = votes.map((vote) => ({
    pull_key: pullRequestKey,
    proposal_id: vote.proposalId,
    digest: vote.digest,
    action: vote.action,
    person_id: vote.by.id,
    login: vote.by.login,
    permission: vote.permission,
    surface: vote.surface,
    comment_id: vote.commentId,
    body_hash: vote.bodyHash,
    delivery_id: vote.deliveryId,
    head: vote.headSha,
    at: vote.at,
    text: vote.text === null ? null : toPlainText(vote.text),
    standing_approval: vote.standingApproval === null ? null : toStored(vote.standingApproval),
  }));
  return insertCte('votes', rows);
}

/** The parts of a vote or an answer that the table of votes stores. */
type VoteToSave = Omit<Vote, 'action' | 'thread' | 'writtenAt'> & { readonly action: string };

/** An answer is a row of votes that names its question: the ids are of one series. */
function answerToVote({ questionId, answer, note: _note, ...record }: AnswerRecord): VoteToSave {
  const action = answer.kind === 'reject' ? 'reject-question' : 'answer';
  const text = JSON.stringify(responseOf(answer));
  return { ...record, proposalId: questionId, action, text, standingApproval: null };
}

/** Inserts the changes of commits. Duplicates are ignored: a commit can be reported twice. */
export function committedChangesCte(
  pullRequestKey: string,
  changes: readonly CommittedChange[],
  now: number,
): readonly RawBuilder<unknown>[] {
  const rows = changes.map((change) => ({
    pull_key: pullRequestKey,
    proposal_id: change.proposalId,
    run_id: change.runId,
    commit_sha: change.commitSha,
    parent_sha: change.parentSha,
    shown_digest: change.shownDigest,
    digest: change.committed.digest,
    range: change.committed.range === null ? null : formatRange(change.committed.range),
    approvers: toStored(change.approvers),
    at: now,
  }));
  return insertCte('committed_changes', rows, { ending: sql`on conflict do nothing` });
}
