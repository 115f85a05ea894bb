import type { UserEditDiff } from '../edits/build/user-edit.ts';
import { type Change, isSet } from '../edits/change.ts';
import type { CommittedVersion } from '../edits/change-set.ts';
import { describeChange, describeUndoOf } from '../edits/describe-change.ts';
import type { Placement } from '../edits/placement.ts';
import type { CallRef } from './conversation.ts';
import type { PostedComment } from './posted-comment.ts';
import type { Approvers } from './settings.ts';
import type { ProposingToolName } from './tools.ts';
import type { Person, Vote } from './vote.ts';

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
