import { decidingVotes } from '../policy/approvals.ts';
import { maySign } from '../policy/roles.ts';
import type { Person, Proposal, Vote } from './proposal.ts';
import type { Run } from './run.ts';

/** What people answered, in the words of the proposal's record; null where nobody did, or not so that it counted. */
export type UserResponse = 'approve' | 'reject' | 'custom' | 'modify';

const RESPONSES = {
  approve: 'approve',
  commit: 'approve',
  modify: 'modify',
  deny: 'reject',
  edit: 'custom',
} as const satisfies Record<Vote['action'], UserResponse>;

/** What the ledger keeps of a proposal for good: nothing that a file or a model said. */
export type ProposalRecord = {
  readonly tool: string;
  /** Who gave the task, or asked for the undo; null where the run is not known. */
  readonly requester: Person | null;
  readonly response: UserResponse | null;
  /** ISO 8601. */
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
};

/** The record of a proposal as it stands; `run` is the one that it belongs to, as far as it is there. */
export function recordOf(proposal: Proposal, run: Pick<Run, 'id' | 'task'> | null): ProposalRecord {
  const { origin, runId, proposedAt, decidedAt, executedAt } = proposal;
  const task = run !== null && run.id === runId ? run.task.by : null;
  return {
    tool: origin.kind === 'call' ? origin.tool : 'undo',
    requester: origin.kind === 'undo' ? origin.by : task,
    response: responseOf(proposal),
    proposedAt,
    decidedAt,
    executedAt,
  };
}

/** A person's own text counts as that, whoever else approved it. */
function responseOf(proposal: Proposal): UserResponse | null {
  // Who may not approve made the change none the less, by a push of his own: that is no approval.
  const votes = decidingVotes(proposal).filter(({ action, permission }) => action !== 'commit' || maySign(permission));
  const last = votes.findLast(({ action }) => action === 'modify') ?? votes.at(-1);
  return last === undefined ? null : RESPONSES[last.action];
}

/** What people wanted done differently; null where that is not what they answered. */
export function instructionOf(proposal: Proposal): string | null {
  return decidingVotes(proposal).findLast(({ action }) => action === 'edit')?.text ?? null;
}
