import type { ReviewState } from './intent.ts';
import type { CommentThread } from './posted-comment.ts';
import type { Vote } from './vote.ts';

/** The comment or review that a vote was read from. GitHub numbers each of these three kinds on its own. */
export type VoteLocation = {
  readonly surface: 'conversation' | 'thread' | 'review';
  /** Id of the comment, or of the review. */
  readonly commentId: number;
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

export function voteSourceKey({ surface, commentId }: VoteLocation): string {
  return `${surface}:${commentId}`;
}

/** Where a vote was read; null for a push, which has no comment. */
export function voteLocationOf({ surface, commentId }: Vote): VoteLocation | null {
  return surface === 'push' || commentId === null ? null : { surface, commentId };
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
