import { type Kysely, sql } from 'kysely';
import { describeProposal, type Proposal } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import type { Approvers } from '../../core/state/settings.ts';
import { approvalVotes, distinctPeople } from '../../core/state/vote.ts';
import { recordOf } from '../../core/step/ledger-record.ts';
import type { WaitingWork } from '../telemetry/metrics.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA } from './engine/schema.ts';

/** A change or question that waits for people. Times are ISO 8601. */
export type PendingDecision = {
  readonly kind: 'change' | 'question';
  /** Such as `acme/shop#7`. */
  readonly pullRequest: string;
  readonly id: string;
  /** One line, without words of the model for a change. */
  readonly what: string;
  readonly url: string;
  readonly since: string;
  /** Login of the author of the task or of the `/undo`; null if unknown. */
  readonly askedBy: string | null;
  /** Null for a question, which takes one answer. */
  readonly approvals: {
    readonly required: number;
    readonly by: readonly string[];
    readonly from: Approvers;
  } | null;
};

type ActiveRow = { readonly state: string; readonly run: string | null; readonly proposals: string | null };

/** The changes and questions that wait for people over all repositories, or in the one of this name, the oldest first. One query. */
export async function listPending(
  db: Kysely<DatabaseSchema>,
  { repository }: { readonly repository: string | null },
): Promise<readonly PendingDecision[]> {
  const { rows } = await sql<ActiveRow>`
    select pulls.state, runs.state as run, (
      select json_agg(body order by seq)::text from proposals
      where proposals.pull_key = pulls.pull_key and proposals.state = 'proposed' and comment_id is not null
        and schema = ${RUN_SCHEMA}
    ) as proposals
    from pulls left join runs on runs.run_id = pulls.run_id and runs.schema = ${RUN_SCHEMA}
    where pulls.active and ${repository === null ? sql`true` : sql`pulls.repository = ${repository.toLowerCase()}`}
  `.execute(db);
  return rows.flatMap(pendingOf).toSorted((one, other) => one.since.localeCompare(other.since));
}

function pendingOf(row: ActiveRow): readonly PendingDecision[] {
  const { ref } = fromStored<Pick<PullState, 'ref'>>(row.state);
  const run = row.run === null ? null : fromStored<Run>(row.run);
  const pullRequest = `${ref.owner}/${ref.repo}#${ref.number}`;
  const proposals = row.proposals === null ? [] : fromStored<readonly string[]>(row.proposals);
  return [
    ...proposals.flatMap((body) => pendingChange(pullRequest, fromStored<Proposal>(body), run)),
    ...(run?.questions ?? []).filter(isAnswerable).flatMap((question) => pendingQuestion(pullRequest, question, run)),
  ];
}

function pendingChange(pullRequest: string, proposal: Proposal, run: Run | null): readonly PendingDecision[] {
  const { id, comment, requiredApprovals: required, requiredApprovers: from } = proposal;
  if (comment === null) return [];
  const by = distinctPeople(approvalVotes(proposal).map((vote) => vote.by)).map(({ login }) => login);
  return [
    {
      ...{ kind: 'change', pullRequest, id, what: describeProposal(proposal), url: comment.url },
      since: proposal.proposedAt ?? comment.createdAt,
      askedBy: recordOf(proposal, run).requester?.login ?? null,
      approvals: { required, by, from },
    },
  ];
}

function pendingQuestion(
  pullRequest: string,
  { id, comment, prompt }: AgentQuestion,
  run: Run | null,
): readonly PendingDecision[] {
  if (comment === null) return [];
  return [
    {
      ...{ kind: 'question', pullRequest, id, what: prompt, url: comment.url, since: comment.createdAt },
      askedBy: run?.task.by.login ?? null,
      approvals: null,
    },
  ];
}

/** Counts for metrics, from indexes of pending rows. */
export async function countWaiting(db: Kysely<DatabaseSchema>, now: number): Promise<WaitingWork> {
  const { rows } = await sql<Omit<WaitingWork, 'runs'>>`
    select pending.count as "pendingChanges", pending.oldest as "oldestPendingAt",
      (select count(*) from inbox where done_at is null and not_before <= ${now}) as "dueSignals",
      (select count(*) from effects where done_at is null and not_before <= ${now}) as "dueEffects",
      (select count(*) from inbox where dead_lettered) as "deadLetters"
    from (
      select count(*) as count, min(created_at) as oldest from proposals
      where state = 'proposed' and comment_id is not null
    ) as pending
  `.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('The database answered without a row');
  const runs = await sql<WaitingWork['runs'][number]>`
    select phase, count(*) as count from (
      select substring(runs.state from '"phase":\\{"kind":"([a-z-]+)"') as phase
      from pulls join runs on runs.run_id = pulls.run_id where pulls.active
    ) as active
    where phase <> 'ended' group by phase
  `.execute(db);
  return { ...counts, runs: runs.rows };
}
