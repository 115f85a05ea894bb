import { decidingVotes, type Proposal } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { canApprove, type Person, type Vote } from '../state/vote.ts';

/** The part of a proposal that the ledger stores permanently. It holds no text of a file or of the model. */
export type ProposalRecord = {
  readonly tool: string;
  /** The author of the task or of the `/undo`; null if the run is unknown. */
  readonly requester: Person | null;
  readonly response: UserResponse | null;
  /** ISO 8601. */
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
};

/** People's answer to a proposal; null if no vote counted. */
type UserResponse = 'approve' | 'reject' | 'custom' | 'modify';

const RESPONSE_BY_ACTION = {
  approve: 'approve',
  'approve-always': 'approve',
  commit: 'approve',
  modify: 'modify',
  deny: 'reject',
  edit: 'custom',
} as const satisfies Record<Vote['action'], UserResponse>;

/** The current record of a proposal. `run` is the proposal's run, or null if it is not stored any more. */
export function recordOf(proposal: Proposal, run: Pick<Run, 'id' | 'task'> | null): ProposalRecord {
  const { origin, runId, proposedAt, decidedAt, executedAt } = proposal;
  const taskAuthor = run !== null && run.id === runId ? run.task.by : null;
  return {
    tool: origin.kind === 'call' ? origin.tool : 'undo',
    requester: origin.kind === 'undo' ? origin.by : taskAuthor,
    response: userResponseOf(proposal),
    proposedAt,
    decidedAt,
    executedAt,
  };
}

/** A person's own text counts as `modify`, even if other people also approved. */
function userResponseOf(proposal: Proposal): UserResponse | null {
  // A push by a person without approval rights also completes the change, but it is no approval.
  const votes = decidingVotes(proposal).filter(
    ({ action, permission }) => action !== 'commit' || canApprove(permission),
  );
  const last = votes.findLast(({ action }) => action === 'modify') ?? votes.at(-1);
  return last === undefined ? null : RESPONSE_BY_ACTION[last.action];
}

/** The instruction of people who asked for a different change; null if there is none. */
export function instructionOf(proposal: Proposal): string | null {
  return decidingVotes(proposal).findLast(({ action }) => action === 'edit')?.text ?? null;
}
