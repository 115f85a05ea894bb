import { sql, type Transaction } from 'kysely';
import { formatRange } from '../../core/edits/region.ts';
import type { CommittedChange, Proposal } from '../../core/state/proposal.ts';
import { type AnswerRecord, responseOf } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import type { Vote } from '../../core/state/vote.ts';
import { recordOf } from '../../core/step/ledger-record.ts';
import type { Step } from '../../core/step/step.ts';
import { type DatabaseSchema, toPlainText, toStored } from './engine/schema.ts';

/** Stores the outcomes of proposals that are now final. The first outcome wins (S77). */
export async function saveOutcomes(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  { proposals, run }: { readonly proposals: readonly Proposal[]; readonly run: Run | null },
  now: number,
): Promise<void> {
  await transaction
    .insertInto('proposal_outcomes')
    .values(proposals.map((proposal) => toOutcomeRow(pullRequestKey, proposal, run, now)))
    .onConflict((conflict) => conflict.columns(['pull_key', 'proposal_id']).doNothing())
    .execute();
  await assertSingleOutcome(transaction, pullRequestKey, proposals);
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
    seq: sql<number>`(select seq from proposals where pull_key = ${pullRequestKey} and proposal_id = ${proposal.id})`,
    record: toStored(recordOf(proposal, run)),
  };
}

/** Last line of defense: rolls the whole step back if it would give a proposal a second, different final state. */
async function assertSingleOutcome(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  proposals: readonly Proposal[],
): Promise<void> {
  const ids = proposals.map((proposal) => proposal.id);
  const rows = await transaction
    .selectFrom('proposal_outcomes')
    .select(['proposal_id', 'state'])
    .where('pull_key', '=', pullRequestKey)
    .where('proposal_id', 'in', ids)
    .execute();
  const stored = new Map(rows.map((row) => [row.proposal_id, row.state]));
  const second = proposals.find((proposal) => stored.get(proposal.id) !== proposal.state);
  if (second === undefined) return;
  throw new Error(`Proposal ${second.id} is ${stored.get(second.id)} for good and cannot become ${second.state}`);
}

/** Stores votes, and answers to questions among them. */
export async function saveVotes(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  step: Pick<Step, 'votes' | 'answers'>,
): Promise<void> {
  const votes: readonly VoteToSave[] = [...step.votes, ...step.answers.map(answerToVote)];
  if (votes.length === 0) return;
  await transaction
    .insertInto('votes')
    .values(
      votes.map((vote) => ({
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
      })),
    )
    .execute();
}

/** The parts of a vote or an answer that the table of votes stores. */
type VoteToSave = Omit<Vote, 'action' | 'thread' | 'writtenAt'> & { readonly action: string };

/** An answer is a row of votes that names its question: the ids are of one series. */
function answerToVote({ questionId, answer, note: _note, ...record }: AnswerRecord): VoteToSave {
  const action = answer.kind === 'reject' ? 'reject-question' : 'answer';
  const text = JSON.stringify(responseOf(answer));
  return { ...record, proposalId: questionId, action, text, standingApproval: null };
}

/** Stores the changes of commits. Duplicates are ignored: a commit can be reported twice. */
export async function saveCommittedChanges(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  changes: readonly CommittedChange[],
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  await transaction
    .insertInto('committed_changes')
    .values(
      changes.map((change) => ({
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
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
