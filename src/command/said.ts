import type { Place, ReviewState } from './intent.ts';
import {
  type Account,
  IssueCommentEvent,
  type Repository,
  ReviewCommentEvent,
  ReviewEvent,
  type Written,
} from './payloads.ts';

/** Words on a pull request, whichever of GitHub's three kinds of comment they came as. */
export type Said = {
  readonly repository: Repository;
  readonly number: number;
  readonly place: Place;
  /** Whether the words answer another comment of a review thread. */
  readonly isReply: boolean;
  readonly writer: Account;
  readonly viaApp: boolean;
  readonly body: string;
  readonly createdAt: string;
  /** Of a review's own body. */
  readonly reviewState: ReviewState | null;
};

/** Finds the words in one event's payload, or why there are none. */
export type ReadWords = (payload: unknown) => SaidOrNot;
export type SaidOrNot = Said | 'malformed' | 'not-a-pull-request';

/** Reads an `issue_comment` payload: the pull request's conversation, or an issue's, which is none of ours. */
export function saidInConversation(payload: unknown): SaidOrNot {
  const read = IssueCommentEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { repository, issue, comment } = read.data;
  if (typeof issue.pull_request !== 'object' || issue.pull_request === null) return 'not-a-pull-request';
  const place = { at: 'conversation', commentId: comment.id } as const;
  return {
    ...writtenBy(comment),
    repository,
    number: issue.number,
    place,
    isReply: false,
    createdAt: comment.created_at,
    reviewState: null,
  };
}

/** Reads a `pull_request_review_comment` payload: a thread's first comment or a reply. */
export function saidInThread(payload: unknown): SaidOrNot {
  const read = ReviewCommentEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { repository, pull_request, comment } = read.data;
  const place = {
    at: 'thread',
    commentId: comment.id,
    rootId: comment.in_reply_to_id ?? comment.id,
    reviewId: comment.pull_request_review_id ?? null,
    path: comment.path,
    line: comment.subject_type === 'file' ? null : (comment.line ?? null),
    diffHunk: comment.diff_hunk ?? '',
  } as const;
  return {
    ...writtenBy(comment),
    repository,
    number: pull_request.number,
    place,
    isReply: typeof comment.in_reply_to_id === 'number',
    createdAt: comment.created_at,
    reviewState: null,
  };
}

/** Reads a `pull_request_review` payload: the review's own body. */
export function saidInReview(payload: unknown): SaidOrNot {
  const read = ReviewEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { repository, pull_request, review } = read.data;
  const place = { at: 'review', reviewId: review.id } as const;
  return {
    ...writtenBy(review),
    repository,
    number: pull_request.number,
    place,
    isReply: false,
    createdAt: review.submitted_at,
    reviewState: stateOf(review.state ?? ''),
  };
}

/** Webhooks write states in lower case, the API in upper; a state that GitHub may add later says nothing. */
function stateOf(state: string): ReviewState {
  const known = state.toLowerCase();
  return known === 'approved' || known === 'changes_requested' ? known : 'commented';
}

function writtenBy({ user, body, performed_via_github_app }: Written): Pick<Said, 'writer' | 'viaApp' | 'body'> {
  return { writer: user, viaApp: (performed_via_github_app ?? null) !== null, body: body ?? '' };
}
