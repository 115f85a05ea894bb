import type { Sha } from '../git/object-store.ts';
import type { Actor } from '../world/access.ts';
import { createComment, deleteComment, editComment } from '../world/comments.ts';
import type { CreateReview, PushFiles } from '../world/inputs.ts';
import { mergePull } from '../world/merge-pull.ts';
import type { Operation } from '../world/outcome.ts';
import { closePull, editPull, lockPull, reopenPull, setDraft } from '../world/pulls.ts';
import { pushFiles } from '../world/push-files.ts';
import { deleteRef } from '../world/refs.ts';
import { deleteReviewComment, editReviewComment, replyToReviewComment } from '../world/review-comments.ts';
import { createReview, dismissReview, editReview } from '../world/reviews.ts';
import type { PullRequest } from '../world/state.ts';
import type { IssueComment, Review, ReviewComment, Thread } from '../world/talk.ts';
import { resolveThread, unresolveThread } from '../world/threads.ts';
import { commitSuggestion } from './commit-suggestion.ts';

/** Does a write on the world and gives back its value; how a refusal shows is up to the caller. */
export type Apply = <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;

/** Where a person stands: a pull request and the branch they push to. */
export type Standing = {
  readonly accountId: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly branch: string;
};

/** What a person can do on a pull request with GitHub's pages and git. */
export type Person = {
  readonly actor: Actor;
  readonly says: (body: string) => IssueComment;
  /** By the id of the thread's first comment. */
  readonly replies: (inReplyTo: number, body: string) => ReviewComment;
  readonly reviews: (review: Pick<CreateReview, 'body' | 'event' | 'comments' | 'replies' | 'commitSha'>) => Review;
  readonly editsReview: (reviewId: number, body: string) => Review;
  readonly dismisses: (reviewId: number, message: string) => Review;
  /** Null deletes a file. */
  readonly pushes: (files: PushedFiles, commit?: Pick<PushFiles, 'message' | 'author'>) => Sha;
  readonly commitsSuggestions: (...commentIds: readonly number[]) => Sha;
  readonly edits: (commentId: number, body: string) => IssueComment;
  readonly deletes: (commentId: number) => null;
  readonly editsInThread: (commentId: number, body: string) => ReviewComment;
  readonly deletesInThread: (commentId: number) => null;
  readonly resolves: (threadNodeId: string) => Thread;
  readonly unresolves: (threadNodeId: string) => Thread;
  readonly closes: () => PullRequest;
  readonly reopens: () => PullRequest;
  readonly merges: () => PullRequest;
  /** Lets the pull request go to another branch. */
  readonly retargets: (base: string) => PullRequest;
  readonly locks: () => PullRequest;
  readonly unlocks: () => PullRequest;
  readonly makesDraft: (draft: boolean) => PullRequest;
  readonly deletesBranch: (branch: string) => null;
};

/** A person in front of one pull request. */
export function personOn(apply: Apply, { accountId, branch, repositoryId, number }: Standing): Person {
  const actor: Actor = { accountId, viaAppId: null };
  const inRepository = { actor, repositoryId };
  const here = { ...inRepository, number };
  return {
    actor,
    says: (body) => apply(createComment, { ...here, body }),
    replies: (inReplyTo, body) => apply(replyToReviewComment, { ...here, inReplyTo, body }),
    reviews: (review) => apply(createReview, { ...here, ...review }),
    editsReview: (reviewId, body) => apply(editReview, { ...here, reviewId, body }),
    dismisses: (reviewId, message) => apply(dismissReview, { ...here, reviewId, message }),
    pushes: (files, commit) =>
      apply(pushFiles, { ...inRepository, branch, files: new Map(Object.entries(files)), ...commit }),
    commitsSuggestions: (...commentIds) => apply(commitSuggestion, { ...here, commentIds }),
    edits: (commentId, body) => apply(editComment, { ...inRepository, commentId, body }),
    deletes: (commentId) => apply(deleteComment, { ...inRepository, commentId }),
    editsInThread: (commentId, body) => apply(editReviewComment, { ...inRepository, commentId, body }),
    deletesInThread: (commentId) => apply(deleteReviewComment, { ...inRepository, commentId }),
    resolves: (threadNodeId) => apply(resolveThread, { actor, threadNodeId }),
    unresolves: (threadNodeId) => apply(unresolveThread, { actor, threadNodeId }),
    closes: () => apply(closePull, here),
    reopens: () => apply(reopenPull, here),
    merges: () => apply(mergePull, here),
    retargets: (base) => apply(editPull, { ...here, base }),
    locks: () => apply(lockPull, { ...here, locked: true }),
    unlocks: () => apply(lockPull, { ...here, locked: false }),
    makesDraft: (draft) => apply(setDraft, { ...here, draft }),
    deletesBranch: (name) => apply(deleteRef, { ...inRepository, ref: `refs/heads/${name}` }),
  };
}

type PushedFiles = Readonly<Record<string, string | Uint8Array | null>>;
