import type { Sha } from '../git/object-store.ts';

export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export type Reaction = {
  readonly id: number;
  readonly authorId: number;
  readonly content: ReactionContent;
  readonly createdAt: string;
};

/** `authorId` null is a deleted account. */
type Said = {
  readonly id: number;
  readonly nodeId: string;
  readonly authorId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reactions: readonly Reaction[];
};

/** A comment of the conversation; `viaAppId` becomes `performed_via_github_app`. */
export type IssueComment = Said & { readonly viaAppId: number | null };

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

/** `submittedAt` is null while pending; then only its author sees it and its comments. */
export type Review = {
  readonly id: number;
  readonly nodeId: string;
  readonly authorId: number | null;
  readonly body: string;
  readonly state: ReviewState;
  readonly commitSha: Sha;
  readonly submittedAt: string | null;
  readonly updatedAt: string;
};

/** A comment in a review thread; place and commit are the thread's. */
export type ReviewComment = Said & {
  readonly reviewId: number;
  /** Key of the thread: the id of its first comment, its own id on a root. */
  readonly threadId: number;
  readonly inReplyToId: number | null;
};

export type Side = 'LEFT' | 'RIGHT';

/** The lines a thread stands on, 1-based; `startLine` null is a single line. */
export type Anchor = {
  readonly side: Side;
  readonly line: number;
  readonly startSide: Side | null;
  readonly startLine: number | null;
  /** Lines below the first `@@` of the file's patch, as the old `position` counts. */
  readonly position: number;
};

/** Whether lines or the whole file are meant. Only lines can go out of date. */
export type Place =
  | { readonly kind: 'file' }
  | { readonly kind: 'lines'; readonly original: Anchor; readonly current: Anchor | null };

/** `commitSha` moves forward with the head while the thread still applies; `originalCommitSha` never moves. */
export type Thread = {
  readonly id: number;
  readonly nodeId: string;
  readonly path: string;
  readonly place: Place;
  readonly originalCommitSha: Sha;
  readonly commitSha: Sha;
  readonly diffHunk: string;
  readonly resolvedById: number | null;
};
