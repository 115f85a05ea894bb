import type { Proposal, Vote } from '../run/proposal.ts';

/** Whether a vote is for making a change, as it was proposed or in the voter's own words. */
export function isApproval({ action }: Vote): boolean {
  return action === 'approve' || action === 'modify';
}

/** The votes for exactly the lines that would be written: what was approved before somebody put other ones there counts for nothing. */
export function approvalsOf({ change, votes }: Proposal): readonly Vote[] {
  return votes.filter((vote) => isApproval(vote) && vote.digest === change.digest);
}
