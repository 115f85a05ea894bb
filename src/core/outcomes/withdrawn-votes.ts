import { type StepBuilder, withReply } from '../actions/step-builder.ts';
import { approvalWithdrawn } from '../messages/approval-replies.ts';
import type { StandingContext } from '../policy/standing-approvals.ts';
import { findVoteProblem } from '../policy/vote-problems.ts';
import type { Proposal } from '../state/proposal.ts';
import { isCarriedOut } from '../state/proposal-lifecycle.ts';
import { approvalVotes, type Vote } from '../state/vote.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import type { PreflightCheck } from '../step/signals.ts';

/** An approval that GitHub does not show any more as it was counted. */
type WithdrawnVote = { readonly vote: Vote; readonly problem: VoteProblem };

/**
 * The approvals that do not count any more: their comment is gone or edited, or their standing approval ended.
 * `standing` is null where the settings are broken.
 */
export function findWithdrawnVotes(
  proposal: Proposal,
  { voteSources }: PreflightCheck,
  standing: StandingContext | null,
): readonly WithdrawnVote[] {
  return approvalVotes(proposal).flatMap((vote) => {
    const problem = findVoteProblem(vote, { proposal, voteSources }, standing);
    return problem === null ? [] : [{ vote, problem }];
  });
}

export function withoutVotes(proposal: Proposal, withdrawn: readonly WithdrawnVote[]): Proposal {
  if (withdrawn.length === 0) return proposal;
  const dropped = new Set(withdrawn.map(({ vote }) => vote));
  return { ...proposal, votes: proposal.votes.filter((vote) => !dropped.has(vote)) };
}

/** One for each person who has no other approval that stands. Only these change who approves. */
export function lostApprovals(proposal: Proposal, withdrawn: readonly WithdrawnVote[]): readonly WithdrawnVote[] {
  const approvers = new Set(approvalVotes(withoutVotes(proposal, withdrawn)).map(({ by }) => by.id));
  const lost = withdrawn.filter(({ vote }) => !approvers.has(vote.by.id));
  return [...new Map(lost.map((one) => [one.vote.by.id, one])).values()];
}

/** One reply for each person who lost an approval and problem; the proposals are those after the step. */
export function announceWithdrawnVotes(
  builder: StepBuilder,
  approvedBefore: readonly Proposal[],
  withdrawnOf: (proposal: Proposal) => readonly WithdrawnVote[],
): StepBuilder {
  const found = approvedBefore.flatMap((before) => {
    const proposal = builder.pull.proposals.find(({ id }) => id === before.id);
    if (proposal === undefined || (proposal.state !== 'proposed' && !isCarriedOut(proposal))) return [];
    return lostApprovals(before, withdrawnOf(before)).map(({ vote, problem }) => ({ proposal, by: vote.by, problem }));
  });
  const groups = Map.groupBy(found, ({ proposal, by, problem }) => `${proposal.state} ${by.id} ${problem}`);
  return [...groups.values()].reduce((announced, [first, ...more]) => {
    if (first === undefined) return announced;
    const { by, problem, proposal } = first;
    const proposals = [first, ...more].map((one) => one.proposal);
    const reply = approvalWithdrawn(by, problem, proposal.state === 'proposed', proposals);
    return withReply(announced, { at: 'pull-request' }, reply);
  }, builder);
}
