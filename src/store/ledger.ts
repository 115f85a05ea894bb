import { type Kysely, sql } from 'kysely';
import type { PullRef } from '../command/intent.ts';
import type { Person, Proposal } from '../run/proposal.ts';
import { type ProposalRecord, recordOf } from '../run/record.ts';
import { RUN_SCHEMA, type Run } from '../run/run.ts';
import type { PullState } from './pull-state.ts';
import { fromStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** What somebody said about a proposal, as its row has it. */
export type VoteRow = Pick<
  Tables['votes'],
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
>;

/** A change in a commit of ours; `at` is ms since the epoch. */
export type WriteRow = {
  readonly commit_sha: string;
  readonly parent_sha: string | null;
  readonly shown_digest: string;
  readonly digest: string;
  readonly range: string | null;
  readonly approvers: readonly Person[];
  readonly at: number;
};

/** One proposal with everything that the ledger has of it; null is what was forgotten, or has not come to be. */
export type LedgerEntry = {
  readonly proposalId: string;
  readonly runId: string;
  readonly installationId: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly pull: PullRef | null;
  readonly proposal: Proposal | null;
  readonly record: ProposalRecord | null;
  readonly outcome: {
    readonly state: string;
    readonly digest: string;
    readonly commit: string | null;
    readonly note: string | null;
  } | null;
  readonly votes: readonly VoteRow[];
  readonly writes: readonly WriteRow[];
};

/** Of one pull request alone (its keys: it may have been installed on twice), or decided, or else proposed, since (ms). */
export type LedgerFilter = { readonly pullKeys: readonly string[] | null; readonly since: number | null };

/** Entries in memory at a time; each may hold a whole file. */
const PAGE = 50;

type Row = {
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
  readonly writes: string;
};

/**
 * Gives every proposal of the ledger to `take`, oldest first, as it was in one moment; the next page is read once `take` is
 * done with the one before, and wants more.
 */
export async function readLedger(
  db: Kysely<Tables>,
  filter: LedgerFilter,
  take: (entries: readonly LedgerEntry[]) => Promise<boolean>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await entriesOf(filter).execute(transaction);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(PAGE)} from ledger`.execute(transaction);
      if (rows.length === 0 || !(await take(rows.map(entryOf)))) return;
    }
  });
}

/** Values are literals: they are numbers and keys of ours, and not every driver binds them in a cursor. */
function entriesOf({ pullKeys, since }: LedgerFilter) {
  const key = sql`coalesce(outcomes.pull_key, proposals.pull_key)`;
  const keys =
    pullKeys === null ? sql`true` : sql`${key} in (${sql.join(['', ...pullKeys].map((one) => sql.lit(one)))})`;
  const time =
    since === null ? sql`true` : sql`coalesce(outcomes.decided_at, proposals.created_at) >= ${sql.lit(since)}`;
  return sql`
    declare ledger no scroll cursor for
    select found.*, runs.schema as run_schema, runs.state as run, pulls.state as pull,
      (select coalesce(json_agg(votes order by votes.id), '[]')::text from votes
        where votes.pull_key = found.pull_key and votes.proposal_id = found.proposal_id) as votes,
      (select coalesce(json_agg(writes order by writes.id), '[]')::text from writes
        where writes.pull_key = found.pull_key and writes.proposal_id = found.proposal_id) as writes
    from (
      select ${key} as pull_key, coalesce(outcomes.proposal_id, proposals.proposal_id) as proposal_id,
        coalesce(outcomes.run_id, proposals.run_id) as run_id, coalesce(outcomes.place, proposals.place) as place,
        proposals.schema, proposals.body,
        outcomes.state as outcome, outcomes.digest, outcomes.commit_sha, outcomes.note, outcomes.record
      from proposals full join outcomes
        on outcomes.pull_key = proposals.pull_key and outcomes.proposal_id = proposals.proposal_id
      where ${keys} and ${time}
    ) as found
    left join runs on runs.run_id = found.run_id
    left join pulls on pulls.pull_key = found.pull_key
    order by found.place, found.pull_key, found.proposal_id
  `;
}

function entryOf(row: Row): LedgerEntry {
  const [installationId = 0, repositoryId = 0, number = 0] = row.pull_key.split('/').map(Number);
  const proposal = row.schema === RUN_SCHEMA && row.body !== null ? fromStored<Proposal>(row.body) : null;
  const run = row.run_schema === RUN_SCHEMA && row.run !== null ? fromStored<Run>(row.run) : null;
  const kept = row.record === null ? null : fromStored<ProposalRecord>(row.record);
  return {
    ...{ proposalId: row.proposal_id, runId: row.run_id, installationId, repositoryId, number },
    pull: row.pull === null ? null : fromStored<PullState>(row.pull).ref,
    proposal,
    record: kept ?? (proposal === null ? null : recordOf(proposal, run)),
    outcome: outcomeOf(row),
    votes: fromStored<VoteRow[]>(row.votes),
    writes: fromStored<(Omit<WriteRow, 'approvers'> & { approvers: string })[]>(row.writes).map((write) => ({
      ...write,
      approvers: fromStored<Person[]>(write.approvers),
    })),
  };
}

function outcomeOf({ outcome: state, digest, commit_sha: commit, note }: Row): LedgerEntry['outcome'] {
  return state === null || digest === null ? null : { state, digest, commit, note };
}

/** The keys of a pull request by its name, as far as it is still known; case does not matter. */
export async function pullKeysOf(db: Kysely<Tables>, name: string, number: number): Promise<readonly string[]> {
  const rows = await db.selectFrom('pulls').select(['pull_key', 'state']).where('number', '=', number).execute();
  return rows.flatMap(({ pull_key, state }) => {
    const { owner, repo } = fromStored<PullState>(state).ref;
    return `${owner}/${repo}`.toLowerCase() === name.toLowerCase() ? [pull_key] : [];
  });
}

/** A change in a commit, and who voted for exactly what people saw of it. */
export type Explained = WriteRow & { readonly proposalId: string; readonly voters: readonly number[] };

/** The ledger's rows of a commit. */
export async function writesOfCommit(db: Kysely<Tables>, commit: string): Promise<readonly Explained[]> {
  const { rows } = await sql<Omit<Explained, 'approvers' | 'voters'> & { approvers: string; voters: string }>`
    select writes.proposal_id as "proposalId", commit_sha, parent_sha, shown_digest, writes.digest, range, approvers,
      writes.at, (
        select coalesce(json_agg(votes.person_id), '[]')::text from votes
        where votes.pull_key = writes.pull_key and votes.proposal_id = writes.proposal_id
          and votes.digest = writes.shown_digest and votes.action in ('approve', 'modify')
      ) as voters
    from writes where commit_sha = ${commit}
  `.execute(db);
  return rows.map((row) => ({
    ...row,
    approvers: fromStored<Person[]>(row.approvers),
    voters: fromStored<number[]>(row.voters),
  }));
}
