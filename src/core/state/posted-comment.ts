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

/** GitHub's times come from several machines: that of a comment can differ between webhooks and the API. */
export const MAX_SERVER_SKEW_MS = 60_000;

/**
 * Names a comment within its pull request. Its id alone does not, because GitHub numbers the comments of the conversation
 * and those of threads separately.
 */
export function commentKey({ kind, id }: Pick<PostedComment, 'kind' | 'id'>): string {
  return `${kind === 'issue-comment' ? 'conversation' : 'thread'}:${id}`;
}

/** Whether the thread with this first comment began with the comment. */
export function beginsThread(comment: PostedComment | null, rootId: number): boolean {
  return comment !== null && comment.kind !== 'issue-comment' && comment.id === rootId;
}
