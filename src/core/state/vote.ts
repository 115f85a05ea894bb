import type { Change } from '../edits/change.ts';
import type { ReviewState } from './intent.ts';
import type { CommentThread } from './posted-comment.ts';
import type { ProposingToolName } from './tools.ts';

/** A GitHub user. The numeric id identifies the person; the login is for display. */
export type Person = { readonly id: number; readonly login: string };

/** The permission on the repository. `maintain` comes from the role's name; a custom role counts as its base role. */
export type Permission = 'admin' | 'maintain' | 'write' | 'read' | 'none';

/**
 * How far a standing approval reaches: later proposals of one tool, on one path or on paths that match a glob. Both
 * begin at the repository's root.
 */
export type StandingScope = { readonly tool: ProposingToolName } & (
  | { readonly path: string; readonly glob: null }
  | { readonly path: null; readonly glob: string }
);

/** A person's approval in advance, by `/approve always`, for this pull request only. */
export type StandingApproval = StandingScope & {
  /** Counts from 1 on each pull request, and is never given again. */
  readonly number: number;
  /** The vote of the comment that gave it. */
  readonly vote: Vote;
  /** GitHub's time of that comment. */
  readonly grantedAt: string;
  /** ISO 8601. */
  readonly expiresAt: string;
};

/** The standing approval that a vote gave or used, as the ledger keeps it. */
type StandingApprovalRef = StandingScope & Pick<StandingApproval, 'number' | 'expiresAt'>;

/** One person's vote on one proposal. Votes are only ever added. */
export type Vote = {
  readonly proposalId: string;
  readonly digest: string;
  /** `approve-always` also gave a standing approval. */
  readonly action: 'approve' | 'approve-always' | 'modify' | 'deny' | 'edit' | 'commit';
  readonly by: Person;
  readonly permission: Permission;
  readonly surface: 'conversation' | 'thread' | 'review' | 'push' | 'check';
  /** Id of the comment, review or check run; null for a push. */
  readonly commentId: number | null;
  /** The thread that the comment was written in; null outside of threads. */
  readonly thread: CommentThread | null;
  readonly bodyHash: string | null;
  readonly deliveryId: string;
  /** Head SHA that the proposal was shown against. */
  readonly headSha: string;
  /** The digest of the list whose button was pressed; absent for every other vote. */
  readonly list?: string;
  /** GitHub's time of the comment or review (ISO 8601); null for a push or a dismissal. Of a button, that of the App. */
  readonly writtenAt: string | null;
  /** ISO 8601, when the App processed the vote. */
  readonly at: string;
  /** Reason, instruction or note. */
  readonly text: string | null;
  /**
   * Null for a vote on this proposal alone. An `approve` with one uses that standing approval: its comment is about an
   * earlier proposal.
   */
  readonly standingApproval: StandingApprovalRef | null;
};

/** Each person once, in order. */
export function distinctPeople(people: readonly Person[]): readonly Person[] {
  return [...new Map(people.map((person) => [person.id, person])).values()];
}

/** A change and the votes on it. The digest is that of its content now. */
export type VotedChange = { readonly change: Pick<Change, 'digest'>; readonly votes: readonly Vote[] };

/** The approvals of exactly the content to be written. An approval of an earlier content does not count. */
export function approvalVotes({ change, votes }: VotedChange): readonly Vote[] {
  return votes.filter((vote) => isApprovalVote(vote) && vote.digest === change.digest);
}

/** Whether a vote approves a change, as proposed or with the voter's own text. */
export function isApprovalVote({ action }: Vote): boolean {
  return action === 'approve' || action === 'approve-always' || action === 'modify';
}

/** Whether a vote was cast by a standing approval, and not by a comment about its proposal. */
export function usesStandingApproval({ action, standingApproval }: Vote): boolean {
  return action === 'approve' && standingApproval !== null;
}

/** Write access by GitHub's permission endpoint alone: `author_association` is wrong in both directions. */
export function canApprove(permission: Permission | undefined): boolean {
  return permission === 'write' || permission === 'maintain' || permission === 'admin';
}

/** The comment or review that a vote was read from. GitHub numbers each of these three kinds on its own. */
export type VoteLocation = {
  readonly surface: 'conversation' | 'thread' | 'review';
  /** Id of the comment, or of the review. */
  readonly commentId: number;
  /** GitHub's time of it (ISO 8601), as far as it is known. */
  readonly writtenAt?: string | null;
};

/** That comment or review as GitHub shows it now. */
export type VoteSource = {
  /** Null if the account was deleted. */
  readonly authorId: number | null;
  /** The account's login by now; null if GitHub names none. */
  readonly authorLogin: string | null;
  readonly body: string;
  /** GitHub's `created_at` (of a review: `submitted_at`), ISO 8601; null if GitHub names none. */
  readonly createdAt: string | null;
  /** An App wrote it in the person's name. GitHub tells this for comments of the conversation only. */
  readonly viaApp: boolean;
  /** Null outside of threads. */
  readonly thread: CommentThread | null;
  /** Null for a comment. */
  readonly reviewState: ReviewState | 'dismissed' | null;
};

/** By `voteSourceKey`; null where this pull request has no such comment or review. */
export type VoteSources = Readonly<Record<string, VoteSource | null>>;

export function voteSourceKey({ surface, commentId }: Pick<VoteLocation, 'surface' | 'commentId'>): string {
  return `${surface}:${commentId}`;
}

/** Where a vote was read; null for a push and for a button, which have no comment. */
export function voteLocationOf({ surface, commentId, writtenAt }: Vote): VoteLocation | null {
  return surface === 'push' || surface === 'check' || commentId === null ? null : { surface, commentId, writtenAt };
}

/** Why an approval no longer counts: its comment or review does not show it any more, or never did. */
export type VoteProblem =
  /** Deleted, or never on this pull request. */
  | 'missing'
  | 'edited'
  /** A review that was dismissed since. */
  | 'dismissed'
  /** Another account wrote it, also the same one under another login, or it is not about this change. */
  | 'not-theirs'
  /** The standing approval was taken back or expired since, or does not cover this change any more. */
  | 'standing-ended';
