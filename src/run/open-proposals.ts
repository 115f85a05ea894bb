import { type Draft, withRun } from './draft.ts';
import { isRevocable, type Proposal } from './proposal.ts';

/** Decided by the head's content: proposals that are not yet being committed. */
export function openProposals(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(isRevocable);
}

/** Proposals that wait were judged at another head: that one stands until they are judged again. */
export function withHead(draft: Draft, head: string): Draft {
  return openProposals(draft.pull.proposals).length > 0 ? draft : withRun(draft, { head });
}
