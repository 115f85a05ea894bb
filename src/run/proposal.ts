import type { Change } from '../change/change.ts';
import type { Difference } from '../change/own-text.ts';
import type { Placement } from '../change/placement.ts';

/** The life of one gated call. The last six are final: nothing leaves them. */
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

/** A person as we keep them: the numeric id decides, the login is for reading. */
export type Person = { readonly id: number; readonly login: string };

/** What GitHub's permission endpoint says; `maintain` by the role's name, custom roles by what they may do. */
export type Permission = 'admin' | 'maintain' | 'write' | 'read' | 'none';

/** What one person said about one proposal. Rows of this are only ever added. */
export type Vote = {
  readonly proposalId: string;
  readonly digest: string;
  readonly action: 'approve' | 'modify' | 'deny' | 'edit' | 'commit';
  readonly by: Person;
  readonly permission: Permission;
  readonly surface: 'conversation' | 'thread' | 'review' | 'push';
  /** The comment (or review) that says it; null for a push. */
  readonly commentId: number | null;
  readonly bodyHash: string | null;
  readonly deliveryId: string;
  /** Head SHA that the proposal was shown against. */
  readonly head: string;
  /** ISO 8601, when we took it. */
  readonly at: string;
  /** Reason, instruction or note. */
  readonly text: string | null;
};

/** A comment of ours on GitHub, as far as we must find and restore it. */
export type PostedComment = {
  readonly kind: 'review-comment' | 'file-comment' | 'issue-comment';
  readonly id: number;
  readonly nodeId: string;
  /** GitHub's `created_at`, ISO 8601 in whole seconds. */
  readonly createdAt: string;
  /** SHA-256 in hex of the body as we sent it. */
  readonly bodyHash: string;
  readonly url: string;
};

/**
 * A review of ours that holds changes of one turn. One that `blocks` asks for changes, so that GitHub may not let the
 * pull request be merged; `kept` is one that GitHub did not let us dismiss.
 */
export type PostedReview = {
  readonly id: number;
  readonly turn: number;
  readonly url: string;
  readonly stands: 'comments' | 'blocks' | 'dismissed' | 'kept';
};

/** From one base branch to another. */
export type Retargeting = { readonly from: string; readonly to: string };

/** What a proposal keeps of the model's words where its change is a person's own text. */
export type Modified = Difference & {
  readonly proposed: Change;
  /** It was put before people under an id of its own, because one vote was not enough. */
  readonly shownAnew: boolean;
};

/** One gated tool call waiting for people, and what became of it. */
export type Proposal = {
  readonly id: string;
  readonly runId: string;
  readonly turn: number;
  readonly callId: string;
  /** 1-based place among `total` changes posted together. */
  readonly index: number;
  readonly total: number;
  readonly tool: 'edit_file' | 'write_file';
  /** The model's own words for why. */
  readonly modelReason: string | null;
  readonly change: Change;
  /** Not null where `change` is a person's own text. */
  readonly modified: Modified | null;
  /** Head SHA it was computed for and shown against. */
  readonly head: string;
  readonly state: ProposalState;
  readonly votes: readonly Vote[];
  /** Null until it is posted. */
  readonly placement: Placement | null;
  readonly comment: PostedComment | null;
  /** Commit SHA that holds it, once completed. */
  readonly commit: string | null;
  /** For people: why it failed, was superseded or cancelled. */
  readonly note: string | null;
  /** The id of the proposal that replaced it: shown again, or answered to an instruction. */
  readonly replacedBy: string | null;
  /** ISO 8601; GitHub's time for `proposedAt`, ours for the others. */
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
  /** Line at which it stands since the file moved below it; null where it stands as proposed. */
  readonly movedTo: number | null;
  /** Who marked its thread as resolved while it waited, and since when; null where it is open. */
  readonly resolved: { readonly by: Person; readonly since: string } | null;
  /** How many people must approve it, as last read; what its comment says. */
  readonly requiredApprovals: number;
  /** Since when the branch keeps moving under attempts to commit it; null where it does not. */
  readonly missedSince: string | null;
  /** Where the pull request went while an attempt to commit this was under way; null where it stayed. */
  readonly retargeted: Retargeting | null;
  /** How often its comment had to be put back, because somebody edited or deleted it. */
  readonly restorations: number;
  /** GitHub's time since which it shows again what we wrote, once it had to be put back. */
  readonly shownSince: string | null;
};

/** What a proposal begins with, before anybody has seen it. */
export const UNSEEN = {
  state: 'proposed',
  votes: [],
  placement: null,
  comment: null,
  commit: null,
  note: null,
  replacedBy: null,
  proposedAt: null,
  decidedAt: null,
  executedAt: null,
  movedTo: null,
  resolved: null,
  missedSince: null,
  retargeted: null,
  restorations: 0,
  shownSince: null,
} as const satisfies Partial<Proposal>;

/** The change that stands on the page: a person's own text is shown once it is applied, or under an id of its own. */
export function shownChange({ change, modified }: Proposal): Change {
  return modified === null || modified.shownAnew ? change : modified.proposed;
}

/** Posted and undecided: what `/approve all` could mean. */
export function isPending(proposal: Proposal): boolean {
  return proposal.state === 'proposed' && proposal.comment !== null;
}

/** Posted and not made yet, whoever approved it: what a no could mean. */
export function isUnmade({ state, comment }: Proposal): boolean {
  return comment !== null && (state === 'proposed' || state === 'approved' || state === 'executing');
}
