import { type RawBuilder, sql } from 'kysely';
import { formatRange } from '../../core/edits/region.ts';
import type { CommittedChange, Proposal } from '../../core/state/proposal.ts';
import { type AnswerRecord, responseOf } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import type { Vote } from '../../core/state/vote.ts';
import { recordOf } from '../../core/step/ledger-record.ts';
import type { Step } from '../../core/step/step.ts';
import { toPlainText, toStored } from './engine/schema.ts';
import { insertCte, rowsOf } from './insert.ts';

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
