import type { UserEditDiff } from '../edits/build/user-edit.ts';
import { type Change, isReading, isSet } from '../edits/change.ts';
import type { CommittedVersion } from '../edits/change-set.ts';
import { describeChange, describeUndoOf } from '../edits/describe-change.ts';
import type { Placement } from '../edits/placement.ts';
import type { CallRef } from './conversation.ts';
import type { PostedComment } from './posted-comment.ts';
import type { Approvers } from './settings.ts';
import type { ProposingToolName } from './tools.ts';
import { approvalVotes, type Person, type Vote, type VotedChange } from './vote.ts';

/** One gated change and its progress. */
export type Proposal = {
  readonly change: Change;
  readonly id: string;
  /** The run that proposed it. For an undo, the latest run at that time. */
  readonly runId: string;
  readonly origin: ProposalOrigin;
  /** 1-based position among the `total` changes posted together. */
  readonly index: number;
  readonly total: number;
  /** The model's own reason. */
  readonly modelReason: string | null;
  /** The review thread that gets a reply and is resolved once the change is committed; null for none. */
  readonly answers: AnsweredThread | null;
  /** Set if `change` is a person's own text. */
  readonly userEdit: ProposalUserEdit | null;
  /** People whose own lines are in the change, each once. */
  readonly writers: readonly Person[];
  /** Files that would no longer parse. The model was told, and proposed the change again. */
  readonly syntaxProblems: readonly SyntaxProblem[];
  /** Head SHA that the change was computed for and shown against. */
  readonly headSha: string;
  readonly state: ProposalState;
  readonly votes: readonly Vote[];
  /** Null until it is posted. */
  readonly placement: Placement | null;
  /** Its page; null until it is posted. */
  readonly comment: PostedComment | null;
  /** SHA of the commit that contains it. It can be set before completion, once GitHub has reported the commit. */
  readonly commitSha: string | null;
  /** Null if it was not committed, or by another person's push. */
  readonly committed: CommittedVersion | null;
  /**
   * For people: why it failed, was superseded or cancelled. During a commit attempt, why none may follow it; null if
   * one may.
   */
  readonly note: string | null;
  /** Id of the proposal that replaced it, reposted or revised. */
  readonly replacedBy: string | null;
  /** The earlier versions that it replaced, with the pages that showed them. */
  readonly replaces: readonly ReplacedVersion[];
  /** ISO 8601. `proposedAt` is GitHub's time, the others are ours. */
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
  /** Number of required approvals as last read, which the comment shows. */
  readonly requiredApprovals: number;
  /** Who must approve as last read, which the comment shows. */
  readonly requiredApprovers: Approvers;
};

/** A proposal that another one replaced; `url` is null if it was never posted. */
type ReplacedVersion = { readonly id: string; readonly url: string | null };

/** A review thread of other people that a change answers. `line` is null for a whole file or an outdated place. */
export type AnsweredThread = {
  /** Id of its first comment. */
  readonly rootId: number;
  readonly nodeId: string;
  /** Its address on the page of the pull request. */
  readonly url: string;
  readonly path: string;
  readonly line: number | null;
  /** The login of its author; null for a deleted account. */
  readonly by: string | null;
};

type ProposalOrigin =
  /** Gated calls of the model. */
  | {
      readonly kind: 'call';
      /** The response with which it was proposed. */
      readonly turn: number;
      /** The calls that it answers, in order: several if they touch in one file. Held ones are of earlier responses. */
      readonly calls: readonly CallRef[];
      readonly tool: ProposingToolName;
    }
  /** A person's `/undo` of an applied change. It belongs to no turn and answers no call. */
  | { readonly kind: 'undo'; readonly undoneProposalId: string; readonly by: Person };

/** The model's original change where a person's own text replaces it. */
type ProposalUserEdit = UserEditDiff & {
  readonly originalChange: Change;
  /** The text got an id of its own, because one vote was not enough. */
  readonly reposted: boolean;
};

/** A syntax error that a change would bring into a file. `what` is a constant phrase without a period. */
export type SyntaxProblem = { readonly path: string; readonly line: number; readonly what: string };

/** States of a proposal. The last six are final. */
export const PROPOSAL_STATES = [
  'proposed',
  'approved',
  'executing',
  'completed',
  'rejected',
  'failed',
  'superseded',
  'expired',
  'cancelled',
] as const;

export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** One change in one commit by the App, as the ledger stores it. */
export type CommittedChange = {
  readonly proposalId: string;
  readonly runId: string;
  readonly commitSha: string;
  /** Null if it is unknown. */
  readonly parentSha: string | null;
  /** The digest that people saw. */
  readonly shownDigest: string;
  readonly committed: CommittedVersion;
  /** People whose approvals counted. */
  readonly approvers: readonly Person[];
};

/** Initial values of a new proposal. */
export const NEW_PROPOSAL = {
  state: 'proposed',
  votes: [],
  answers: null,
  writers: [],
  syntaxProblems: [],
  placement: null,
  comment: null,
  commitSha: null,
  committed: null,
  note: null,
  replacedBy: null,
  replaces: [],
  proposedAt: null,
  decidedAt: null,
  executedAt: null,
  requiredApprovers: 'write',
} as const satisfies Partial<Proposal>;

/** The newer version of these proposals, with a link to each. */
export function withReplacedVersions(newer: Proposal, replaced: readonly Proposal[]): Proposal {
  return { ...newer, replaces: replaced.map(({ id, comment }) => ({ id, url: comment?.url ?? null })) };
}

/** The turn that a proposal belongs to; null for an undo. */
export function turnOf({ origin }: Proposal): number | null {
  return origin.kind === 'call' ? origin.turn : null;
}

/** The last person whose own lines replaced the model's; null if it has the model's lines. */
export function writerOf({ userEdit, writers }: Proposal): Person | null {
  return userEdit === null ? null : (writers.at(-1) ?? null);
}

/** The change that its comment shows. A person's own text is shown once it is applied, or under an id of its own. */
export function postedChange({ change, userEdit }: Proposal): Change {
  return userEdit === null || userEdit.reposted ? change : userEdit.originalChange;
}

/** One line that names it in lists, without words of the model. That of an undo names the change that it reverses. */
export function describeProposal({ change, origin }: Pick<Proposal, 'change' | 'origin'>): string {
  const name = describeChange(change);
  return origin.kind === 'undo' && isSet(change) ? describeUndoOf(origin.undoneProposalId, name) : name;
}

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
