import type { Proposal, Vote } from '../run/proposal.ts';

/** Whether a vote is for making a change, as it was proposed or in the voter's own words. */
export function isApproval({ action }: Vote): boolean {
  return action === 'approve' || action === 'modify';
}

/** The votes that led to where a proposal stands: of one that was made, a no that came too late is none of them. */
export function decidingVotes(proposal: Proposal): readonly Vote[] {
  const { state, votes } = proposal;
  if (state === 'rejected') return votes.filter(({ action }) => action === 'deny' || action === 'edit');
  const approvals = approvalsOf(proposal);
  return state === 'completed' ? [...approvals, ...votes.filter(({ action }) => action === 'commit')] : approvals;
}

/** The votes for exactly the lines that would be written: what was approved before somebody put other ones there counts for nothing. */
export function approvalsOf({ change, votes }: Proposal): readonly Vote[] {
  return votes.filter((vote) => isApproval(vote) && vote.digest === change.digest);
}
