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

/** GitHub's label of a pull request on which something waits for people. */
export const WAITING_LABEL = 'countersign: waiting';

/** The check run and the label that tell people of pending changes, as the App last left them on GitHub. */
export type Published = {
  /** The App put the label there, or found it there while something waited. */
  readonly label: boolean;
  /** The newest check run of this pull request; null if there is none. */
  readonly check: PublishedCheck | null;
};

/** A check run of the App about one list of pending changes at one head. */
export type PublishedCheck = {
  readonly id: number;
  readonly head: string;
  /** The digest of its list; empty for a run that says that nothing waits. */
  readonly digest: string;
  /** Its last list had them. */
  readonly hasButtons: boolean;
};

export const NOTHING_PUBLISHED: Published = { label: false, check: null };

/** The name of the App's check run. */
export const CHECK_RUN_NAME = 'Countersign';

/** A completed check run, as GitHub shows it. Texts are Markdown of at most 65,535 characters. */
export type CheckRunPage = {
  readonly externalId: string;
  readonly detailsUrl: string;
  readonly conclusion: 'success' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  /** Empty for none. */
  readonly text: string;
  /** The buttons. */
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
};

/** A new content of a check run; without `externalId` it keeps its own. */
export type OutdatedCheckRunPage = Omit<CheckRunPage, 'externalId'> & Partial<Pick<CheckRunPage, 'externalId'>>;

export type FoundCheckRun = { readonly id: number; readonly externalId: string; readonly conclusion: string | null };
