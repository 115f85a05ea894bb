import type { Change } from '../change/change.ts';
import type { Difference } from '../change/own-text.ts';
import type { Placement } from '../change/placement.ts';
import type { LineRange } from '../change/range.ts';
import type { GatedTool } from '../tools/definitions.ts';

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
  /** Its own text, as we sent it. */
  readonly body: string;
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

/** Where a proposal comes from. */
export type Origin =
  /** A gated call of the model, and the turn it belongs to. */
  | {
      readonly kind: 'call';
      readonly turn: number;
      readonly callId: string;
      readonly tool: GatedTool;
    }
  /** A person's `/undo` of the applied change `of`: it belongs to no turn and answers no call. */
  | {
      readonly kind: 'undo';
      readonly of: string;
      readonly by: Person;
      /** Why no further attempt to commit it follows the one that is under way; null where one may. */
      readonly cancelled: string | null;
    };

/** A change as it was made: the digest over the context that stood there then, and its lines in the commit. */
export type Made = { readonly digest: string; readonly range: LineRange | null };

/** One change in one commit of ours, as the ledger keeps it. */
export type Write = {
  readonly proposalId: string;
  readonly runId: string;
  readonly commit: string;
  /** Null where it is not known any more. */
  readonly parent: string | null;
  /** What people saw. */
  readonly shownDigest: string;
  readonly made: Made;
  /** Whose approvals counted. */
  readonly approvers: readonly Person[];
};

/** One change that waits for people, and what became of it. */
export type Proposal = {
  readonly id: string;
  /** The run that proposed it, or, of an undo, the last one when it was asked for. */
  readonly runId: string;
  readonly origin: Origin;
  /** 1-based place among `total` changes posted together. */
  readonly index: number;
  readonly total: number;
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
  /** Null also while one of its parts is missing: nobody decides on what is not all on the page. */
  readonly comment: PostedComment | null;
  /** Comments in which a diff too long for one goes on, in order; they stand whenever `comment` does. */
  readonly parts: readonly PostedComment[];
  /** Ids of the comments that showed it and are gone: threads that they began may go on, and are still about it. */
  readonly formerThreads: readonly number[];
  /** Commit SHA that holds it, once completed, or GitHub said that it made it. */
  readonly commit: string | null;
  /** Null where it was not made, or by somebody's push. */
  readonly made: Made | null;
  /** For people: why it failed, was superseded or cancelled. */
  readonly note: string | null;
  /** The id of the proposal that replaced it: shown again, or answered to an instruction. */
  readonly replacedBy: string | null;
  /** ISO 8601; GitHub's time for `proposedAt`, ours for the others. */
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
  /** GitHub's time at which nobody's decision is waited for any more; null until it is posted. */
  readonly expiresAt: string | null;
  /** People were told that it expires soon. */
  readonly reminded: boolean;
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
  /** The fault under which words were put aside while an attempt to commit this was under way; absent or null where none were. */
  readonly doubted?: string | null;
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
  parts: [],
  formerThreads: [],
  commit: null,
  made: null,
  note: null,
  replacedBy: null,
  proposedAt: null,
  decidedAt: null,
  executedAt: null,
  expiresAt: null,
  reminded: false,
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

/** All comments that show it; none until all of them stand. */
export function commentsOf({ comment, parts }: Pick<Proposal, 'comment' | 'parts'>): readonly PostedComment[] {
  return comment === null ? [] : [comment, ...parts];
}

/** GitHub's time since which all of it has stood on the page; null while it does not. */
export function standsSince(proposal: Pick<Proposal, 'comment' | 'parts'>): string | null {
  const times = commentsOf(proposal).map(({ createdAt }) => createdAt);
  return times.toSorted((left, right) => Date.parse(left) - Date.parse(right)).at(-1) ?? null;
}

/** The turn that a proposal belongs to; null for an undo. */
export function turnOf({ origin }: Proposal): number | null {
  return origin.kind === 'call' ? origin.turn : null;
}

/** Not at its end yet, whether or not it is on the page. */
export function isOpen({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'approved' || state === 'executing';
}

/** Open, and no attempt to commit it has begun: nothing of it can be in the branch, and it can still be decided otherwise. */
export function isRevocable({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'approved';
}

/** Approved, whether or not an attempt to commit it has begun. */
export function isUnderWay({ state }: Proposal): boolean {
  return state === 'approved' || state === 'executing';
}

/** Posted and undecided: what `/approve all` could mean. */
export function isPending(proposal: Proposal): boolean {
  return proposal.state === 'proposed' && proposal.comment !== null;
}

/** Posted and not made yet, whoever approved it: what a no could mean. */
export function isUnmade(proposal: Proposal): boolean {
  return proposal.comment !== null && isOpen(proposal);
}
