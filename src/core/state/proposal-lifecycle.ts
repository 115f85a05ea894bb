import { isReading } from '../edits/change.ts';
import { type Proposal, type ProposalState, postedChange } from './proposal.ts';
import { approvalVotes, type Vote, type VotedChange } from './vote.ts';

/** Every allowed transition of a proposal. */
export const TRANSITIONS = {
  proposed: ['approved', 'rejected', 'completed', 'superseded', 'expired', 'cancelled'],
  approved: ['executing', 'completed', 'rejected', 'superseded', 'cancelled', 'proposed'],
  executing: ['completed', 'failed', 'superseded', 'approved'],
  completed: [],
  rejected: [],
  failed: [],
  superseded: [],
  expired: [],
  cancelled: [],
} as const satisfies Record<ProposalState, readonly ProposalState[]>;

/**
 * The proposal in its next state. Throws if the table lacks the transition, which is a bug and never a person's
 * mistake.
 */
export function transition(proposal: Proposal, to: ProposalState, now: string): Proposal {
  if (!canTransition(proposal.state, to)) throw new Error(`A proposal cannot go from ${proposal.state} to ${to}`);
  const next = STATES_WITH_USER_EDIT.has(to) ? proposal : withoutUserEdit(proposal);
  return { ...next, state: to, ...timestampsFor(proposal, to, now) };
}

export function canTransition(from: ProposalState, to: ProposalState): boolean {
  const allowed: readonly ProposalState[] = TRANSITIONS[from];
  return allowed.includes(to);
}

export function isFinal(state: ProposalState): boolean {
  return TRANSITIONS[state].length === 0;
}

function timestampsFor(proposal: Proposal, to: ProposalState, now: string): Partial<Proposal> {
  if (to === 'proposed') return { decidedAt: null };
  if (to === 'completed') return { decidedAt: proposal.decidedAt ?? now, executedAt: now };
  if (to === 'executing') return {};
  return { decidedAt: proposal.decidedAt ?? now };
}

/** An own text that was not committed is discarded, so that the proposal again holds the posted change. */
function withoutUserEdit(proposal: Proposal): Proposal {
  const change = postedChange(proposal);
  if (change === proposal.change) return proposal;
  return { ...proposal, change, userEdit: null, writers: [] };
}

/** States in which a person's own text stays in place of the model's change. */
const STATES_WITH_USER_EDIT: ReadonlySet<ProposalState> = new Set(['approved', 'executing', 'completed', 'failed']);

/** Whether it has not reached a final state, posted or not. */
export function isOpen({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'approved' || state === 'executing';
}

/** Whether people can still deny it or ask for changes, even while a commit attempt is in flight. */
export function isPostedAndOpen(proposal: Proposal): boolean {
  return isOpen(proposal) && proposal.comment !== null;
}

/** Posted and undecided. */
export function isPending(proposal: Proposal): boolean {
  return proposal.state === 'proposed' && proposal.comment !== null;
}

/** Open, and no commit attempt has begun: the branch cannot contain it. */
export function isBeforeCommit({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'approved';
}

/** Whether its commit attempt has begun, or the agent may read its file. A finished commit does not count. */
export function isCarriedOut({ state, change }: Pick<Proposal, 'state' | 'change'>): boolean {
  return state === 'executing' || (state === 'completed' && isReading(change));
}

/** The fields of a proposal that say who decided it. */
type VotedProposal = VotedChange & Pick<Proposal, 'state'>;

/** The votes that led to the proposal's state. A denial that came too late to stop a commit is not among them. */
export function decidingVotes(proposal: VotedProposal): readonly Vote[] {
  const { state, votes } = proposal;
  if (state === 'rejected') return votes.filter(isRejection);
  const approvals = approvalVotes(proposal);
  return state === 'completed' ? [...approvals, ...votes.filter(({ action }) => action === 'commit')] : approvals;
}

/** The denial or instruction that counts: a later word replaces those that came earlier during a commit attempt. */
export function rejectingVote({ votes }: VotedChange): Vote | undefined {
  return votes.findLast(isRejection);
}

/** Whether a person asked for something else instead of it. It is rejected, and no denial. */
export function isInstructed(proposal: VotedProposal): boolean {
  return proposal.state === 'rejected' && rejectingVote(proposal)?.action === 'edit';
}

function isRejection({ action }: Vote): boolean {
  return action === 'deny' || action === 'edit';
}
