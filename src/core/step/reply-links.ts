import { describeProposal, type Proposal, type ProposalState } from '../state/proposal.ts';
import { decidingVotes, isInstructed } from '../state/proposal-lifecycle.ts';
import type { AgentQuestion, QuestionInput } from '../state/question.ts';
import type { Person, StandingApproval, StandingApprovalRef } from '../state/vote.ts';

/** A proposal as named in a reply. */
export type ProposalLink = { readonly id: string; readonly title: string; readonly url: string | null };

export function proposalLink(proposal: Proposal): ProposalLink {
  return { id: proposal.id, title: describeProposal(proposal), url: proposal.comment?.url ?? null };
}

/** A proposal that is no longer open, with its outcome (T12). */
export type ProposalOutcome = {
  readonly id: string;
  readonly state: ProposalState;
  readonly by: Person | null;
  readonly commitSha: string | null;
  readonly replacedBy: string | null;
  /** Its last person asked for something else. */
  readonly isInstructed: boolean;
  /** Why it ended without a decision, or failed. */
  readonly note: string | null;
};

export function proposalOutcome(proposal: Proposal): ProposalOutcome {
  return {
    id: proposal.id,
    state: proposal.state,
    by: decidingVotes(proposal).at(-1)?.by ?? null,
    commitSha: proposal.commitSha,
    replacedBy: proposal.replacedBy,
    isInstructed: isInstructed(proposal),
    note: proposal.note,
  };
}

/** A question as named in a reply. */
export type QuestionLink = Pick<AgentQuestion, 'id' | 'state'> & {
  readonly type: QuestionInput['type'];
  /** Number of its choices; 0 for a text. */
  readonly choices: number;
  readonly url: string | null;
};

export function questionLink({ id, state, input, comment }: AgentQuestion): QuestionLink {
  const choices = input.type === 'text' ? 0 : input.choices.length;
  return { id, state, type: input.type, choices, url: comment?.url ?? null };
}

/** A standing approval as people read about it. */
export type StandingApprovalLine = StandingApprovalRef & { readonly by: Person; readonly grantedAt: string };

export function standingApprovalLine({ vote, grantedAt, ...ref }: StandingApproval): StandingApprovalLine {
  return { ...ref, by: vote.by, grantedAt };
}
