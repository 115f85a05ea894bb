import { type Proposal, type ProposalState, shownChange } from './proposal.ts';

/** Every step a proposal may take; nothing else ever happens to one. */
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

export function isFinal(state: ProposalState): boolean {
  return TRANSITIONS[state].length === 0;
}

export function mayMove(from: ProposalState, to: ProposalState): boolean {
  const allowed: readonly ProposalState[] = TRANSITIONS[from];
  return allowed.includes(to);
}

/** The proposal in its next state. Throws on a step that the table does not have: that is a fault of ours, never of a person. */
export function moved(proposal: Proposal, to: ProposalState, now: string): Proposal {
  if (!mayMove(proposal.state, to)) throw new Error(`A proposal cannot go from ${proposal.state} to ${to}`);
  const kept = KEEPS_OWN_TEXT.has(to) ? proposal : withoutOwnText(proposal);
  return { ...kept, state: to, ...timesOf(proposal, to, now) };
}

/** States in which a person's own text is made, or was to be. */
const KEEPS_OWN_TEXT: ReadonlySet<ProposalState> = new Set(['approved', 'executing', 'completed', 'failed']);

/** What was not made is what people were shown. */
function withoutOwnText(proposal: Proposal): Proposal {
  const change = shownChange(proposal);
  return change === proposal.change ? proposal : { ...proposal, change, modified: null };
}

function timesOf(proposal: Proposal, to: ProposalState, now: string): Partial<Proposal> {
  if (to === 'proposed') return { decidedAt: null };
  if (to === 'completed') return { decidedAt: proposal.decidedAt ?? now, executedAt: now };
  if (to === 'executing') return {};
  return { decidedAt: proposal.decidedAt ?? now };
}
