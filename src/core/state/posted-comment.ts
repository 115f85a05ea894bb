/** A comment by the App on GitHub, with everything needed to find it and to write it again. */
export type PostedComment = {
  readonly kind: 'review-comment' | 'file-comment' | 'issue-comment';
  readonly id: number;
  readonly nodeId: string;
  /** GitHub's `created_at`, ISO 8601 in whole seconds. */
  readonly createdAt: string;
  /** SHA-256 in hex of the body as the App sent it. */
  readonly bodyHash: string;
  readonly url: string;
};

/**
 * A review by the App with changes of one turn. `changes-requested` can block the merge; `dismiss-refused` means that
 * GitHub did not let the App dismiss it.
 */
export type PostedReview = {
  readonly id: number;
  readonly turn: number;
  readonly url: string;
  readonly status: 'commented' | 'changes-requested' | 'dismissed' | 'dismiss-refused';
};

/** The thread of a comment, named by its first comment, and the review with which the comment was submitted. */
export type CommentThread = { readonly rootId: number; readonly reviewId: number | null };

/** Where a comment is. GitHub numbers the comments of the conversation and those of threads separately. */
type CommentAddress = { readonly at: 'conversation' | 'thread'; readonly commentId: number };

function commentAddressOf({ kind, id }: Pick<PostedComment, 'kind' | 'id'>): CommentAddress {
  return { at: kind === 'issue-comment' ? 'conversation' : 'thread', commentId: id };
}

/** GitHub's times come from several machines: that of a comment can differ between webhooks and the API. */
export const MAX_SERVER_SKEW_MS = 60_000;

/** Names a comment within its pull request, which its id alone does not. */
export function commentKey(comment: Pick<PostedComment, 'kind' | 'id'>): string {
  const { at, commentId } = commentAddressOf(comment);
  return `${at}:${commentId}`;
}

/** Whether the comment is the one at this place; null for none. */
function isCommentAt(comment: PostedComment | null, { at, commentId }: CommentAddress): boolean {
  if (comment === null) return false;
  const address = commentAddressOf(comment);
  return address.at === at && address.commentId === commentId;
}

/** Whether the thread with this first comment began with the comment. */
export function beginsThread(comment: PostedComment | null, rootId: number): boolean {
  return isCommentAt(comment, { at: 'thread', commentId: rootId });
}
