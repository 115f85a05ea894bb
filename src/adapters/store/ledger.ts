import { type Kysely, sql } from 'kysely';
import type { PullRequestRef } from '../../core/state/intent.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { AgentQuestion } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import type { Person } from '../../core/state/vote.ts';
import { type ProposalRecord, recordOf } from '../../core/step/ledger-record.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA } from './engine/schema.ts';
import type { StoredPullState } from './load.ts';

/** A vote as stored. */
export type VoteRow = Pick<
  DatabaseSchema['votes'],
  | 'digest'
  | 'action'
  | 'person_id'
  | 'login'
  | 'permission'
  | 'surface'
  | 'comment_id'
  | 'body_hash'
  | 'delivery_id'
  | 'head'
  | 'at'
  | 'text'
  | 'standing_approval'
>;

/** One change in one commit; `at` is ms since the epoch. */
export type CommittedChangeRow = {
  readonly commit_sha: string;
  readonly parent_sha: string | null;
  readonly shown_digest: string;
  readonly digest: string;
  readonly range: string | null;
  readonly approvers: readonly Person[];
  readonly at: number;
};

/** One proposal with its ledger rows. A part is null if it was deleted by cleanup or does not exist yet. */
export type LedgerEntry = {
  readonly proposalId: string;
  readonly runId: string;
  readonly installationId: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly pull: PullRequestRef | null;
  readonly proposal: Proposal | null;
  readonly record: ProposalRecord | null;
  readonly outcome: {
    readonly state: string;
    readonly digest: string;
    readonly commit: string | null;
    readonly note: string | null;
  } | null;
  readonly votes: readonly VoteRow[];
  readonly committedChanges: readonly CommittedChangeRow[];
};

/**
 * `pullKeys` selects one pull request, which has several keys if the App was reinstalled. `since` (ms) is compared with
 * the time of decision, or of proposal for open ones.
 */
export type LedgerFilter = { readonly pullKeys: readonly string[] | null; readonly since: number | null };

/** Bounds memory: each entry can hold a whole file. */
const PAGE_ROWS = 50;

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

/**
 * Passes every proposal of the ledger to `onPage`, oldest first, in one consistent snapshot. Stops once `onPage`
 * returns false.
 */
export async function readLedger(
  db: Kysely<DatabaseSchema>,
  filter: LedgerFilter,
  onPage: (entries: readonly LedgerEntry[]) => Promise<boolean>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await declareLedgerCursor(filter).execute(transaction);
    for (;;) {
      const { rows } = await sql<LedgerRow>`fetch ${sql.lit(PAGE_ROWS)} from ledger`.execute(transaction);
      if (rows.length === 0 || !(await onPage(rows.map(toLedgerEntry)))) return;
    }
  });
}

/** Inlines its values, which are numbers and our own keys: not every driver can bind parameters in a cursor. */
function declareLedgerCursor({ pullKeys, since }: LedgerFilter) {
  const key = sql`coalesce(proposal_outcomes.pull_key, proposals.pull_key)`;
  const keys =
    pullKeys === null ? sql`true` : sql`${key} in (${sql.join(['', ...pullKeys].map((value) => sql.lit(value)))})`;
  const time =
    since === null ? sql`true` : sql`coalesce(proposal_outcomes.decided_at, proposals.created_at) >= ${sql.lit(since)}`;
  return sql`
    declare ledger no scroll cursor for
    select ledger_rows.*, runs.schema as run_schema, runs.state as run, pulls.state as pull,
      (select coalesce(json_agg(votes order by votes.id), '[]')::text from votes
        where votes.pull_key = ledger_rows.pull_key and votes.proposal_id = ledger_rows.proposal_id) as votes,
      (select coalesce(json_agg(committed_changes order by committed_changes.id), '[]')::text from committed_changes
        where committed_changes.pull_key = ledger_rows.pull_key and committed_changes.proposal_id = ledger_rows.proposal_id) as committed_changes
    from (
      select ${key} as pull_key, coalesce(proposal_outcomes.proposal_id, proposals.proposal_id) as proposal_id,
        coalesce(proposal_outcomes.run_id, proposals.run_id) as run_id, coalesce(proposal_outcomes.seq, proposals.seq) as seq,
        proposals.schema, proposals.body,
        proposal_outcomes.state as outcome, proposal_outcomes.digest, proposal_outcomes.commit_sha, proposal_outcomes.note, proposal_outcomes.record
      from proposals full join proposal_outcomes
        on proposal_outcomes.pull_key = proposals.pull_key and proposal_outcomes.proposal_id = proposals.proposal_id
      where ${keys} and ${time}
    ) as ledger_rows
    left join runs on runs.run_id = ledger_rows.run_id
    left join pulls on pulls.pull_key = ledger_rows.pull_key
    order by ledger_rows.seq, ledger_rows.pull_key, ledger_rows.proposal_id
  `;
}

function toLedgerEntry(row: LedgerRow): LedgerEntry {
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

function toLedgerOutcome({ outcome: state, digest, commit_sha: commit, note }: LedgerRow): LedgerEntry['outcome'] {
  return state === null || digest === null ? null : { state, digest, commit, note };
}

/** One answer to a question of the agent. A part is null if it was deleted by cleanup. */
export type LedgerAnswer = {
  readonly questionId: string;
  readonly installationId: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly pull: PullRequestRef | null;
  /** The run that asked, with the question. */
  readonly asked: { readonly run: Run; readonly question: AgentQuestion } | null;
  readonly vote: VoteRow;
};

type AnswerRow = VoteRow & {
  readonly id: number;
  readonly pull_key: string;
  readonly proposal_id: string;
  readonly pull: string | null;
};

/**
 * Passes every answer of the ledger to `onPage`, oldest first. Stops once `onPage` returns false. Rows of votes are
 * only ever added, so the pages fit together.
 */
export async function readAnswers(
  db: Kysely<DatabaseSchema>,
  { pullKeys, since }: LedgerFilter,
  onPage: (answers: readonly LedgerAnswer[]) => Promise<boolean>,
): Promise<void> {
  const keys = pullKeys === null ? sql`true` : sql`votes.pull_key in (${sql.join(['', ...pullKeys])})`;
  const time = since === null ? sql`true` : sql`votes.at >= ${new Date(since).toISOString()}`;
  for (let last = 0; ; ) {
    const { rows } = await sql<AnswerRow>`
      select votes.*, pulls.state as pull from votes left join pulls on pulls.pull_key = votes.pull_key
      where votes.action in ('answer', 'reject-question') and votes.id > ${last} and ${keys} and ${time}
      order by votes.id limit ${sql.lit(PAGE_ROWS)}
    `.execute(db);
    const newest = rows.at(-1);
    if (newest === undefined) return;
    last = newest.id;
    const runs = await findRuns(db, new Set(rows.map(({ pull_key }) => pull_key)));
    if (!(await onPage(rows.map((row) => toLedgerAnswer(row, runs))))) return;
  }
}

type KeyedRun = { readonly pullKey: string; readonly run: Run };

/** The runs of these pull requests that this version can read. */
async function findRuns(db: Kysely<DatabaseSchema>, pullKeys: ReadonlySet<string>): Promise<readonly KeyedRun[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['pull_key', 'state'])
    .where('pull_key', 'in', [...pullKeys])
    .where('schema', '=', RUN_SCHEMA)
    .execute();
  return rows.map(({ pull_key, state }) => ({ pullKey: pull_key, run: fromStored<Run>(state) }));
}

function toLedgerAnswer(
  { id: _, pull_key: pullKey, proposal_id: questionId, pull, ...vote }: AnswerRow,
  runs: readonly KeyedRun[],
): LedgerAnswer {
  const [installationId = 0, repositoryId = 0, number = 0] = pullKey.split('/').map(Number);
  const [asked = null] = runs
    .filter((one) => one.pullKey === pullKey)
    .flatMap(({ run }) => run.questions.filter(({ id }) => id === questionId).map((question) => ({ run, question })));
  const ref = pull === null ? null : fromStored<StoredPullState>(pull).ref;
  return { questionId, installationId, repositoryId, number, pull: ref, asked, vote };
}

/**
 * Finds the keys of a pull request by repository name (`owner/repo`, ignoring case). Deleted pull requests are not
 * found.
 */
export async function findPullRequestKeys(
  db: Kysely<DatabaseSchema>,
  name: string,
  number: number,
): Promise<readonly string[]> {
  const rows = await db.selectFrom('pulls').select(['pull_key', 'state']).where('number', '=', number).execute();
  return rows.flatMap(({ pull_key, state }) => {
    const { owner, repo } = fromStored<StoredPullState>(state).ref;
    return `${owner}/${repo}`.toLowerCase() === name.toLowerCase() ? [pull_key] : [];
  });
}
