import type { Sha } from '../github/git/objects.ts';
import {
  createIssueComment,
  deleteIssueComment,
  editIssueComment,
  minimizeComment,
} from '../github/operations/comments.ts';
import { pushFiles } from '../github/operations/git-data.ts';
import type { CreateReviewInput, PushFilesInput } from '../github/operations/inputs.ts';
import { addLabel, removeLabel } from '../github/operations/labels.ts';
import {
  closePullRequest,
  editPullRequest,
  lockPullRequest,
  mergePullRequest,
  reopenPullRequest,
  setPullRequestDraft,
} from '../github/operations/pull-requests.ts';
import { deleteGitRef } from '../github/operations/refs.ts';
import { pressCheckButton, requestMergeGroupChecks } from '../github/operations/requested-checks.ts';
import { deleteReviewComment, editReviewComment, replyToReviewComment } from '../github/operations/review-comments.ts';
import { resolveReviewThread, unresolveReviewThread } from '../github/operations/review-threads.ts';
import {
  createPullRequestReview,
  dismissPullRequestReview,
  editPullRequestReview,
} from '../github/operations/reviews.ts';
import type {
  FakeActor,
  FakeIssueComment,
  FakePullRequest,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
} from '../github/state/github-state.ts';
import type { Operation } from '../github/state/operation.ts';
import { commitSuggestion } from './commit-suggestion.ts';

/** Runs an operation and returns its value, or throws its error. */
type ApplyGitHubOperation = <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;

/** The account of a person, and the pull request and branch that they work on. */
type PersonContext = {
  readonly accountId: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly branch: string;
};

/** The actions of a person on a pull request, in the browser or with git. */
export type FakePerson = {
  readonly actor: FakeActor;
  readonly says: (body: string) => FakeIssueComment;
  /** `inReplyTo` is the id of the first comment in the thread. */
  readonly replies: (inReplyTo: number, body: string) => FakeReviewComment;
  readonly reviews: (
    review: Pick<CreateReviewInput, 'body' | 'event' | 'comments' | 'replies' | 'commitSha'>,
  ) => FakeReview;
  readonly editsReview: (reviewId: number, body: string) => FakeReview;
  readonly dismisses: (reviewId: number, message: string) => FakeReview;
  /** Null deletes a file. */
  readonly pushes: (files: FileContents, commit?: Pick<PushFilesInput, 'message' | 'author'>) => Sha;
  readonly commitsSuggestions: (...commentIds: readonly number[]) => Sha;
  readonly edits: (commentId: number, body: string) => FakeIssueComment;
  readonly deletes: (commentId: number) => null;
  /** Minimizes a comment in the conversation or in a thread. */
  readonly hides: (commentId: number) => null;
  readonly editsInThread: (commentId: number, body: string) => FakeReviewComment;
  readonly deletesInThread: (commentId: number) => null;
  readonly resolves: (threadNodeId: string) => FakeReviewThread;
  readonly unresolves: (threadNodeId: string) => FakeReviewThread;
  readonly closes: () => FakePullRequest;
  readonly reopens: () => FakePullRequest;
  readonly merges: () => FakePullRequest;
  /** Changes the base branch. */
  readonly retargets: (base: string) => FakePullRequest;
  readonly locks: () => FakePullRequest;
  readonly unlocks: () => FakePullRequest;
  readonly makesDraft: (draft: boolean) => FakePullRequest;
  readonly deletesBranch: (branch: string) => null;
  /** Presses a button of a check run, also one that the page no longer shows. */
  readonly presses: (checkRunId: number, identifier: string) => null;
  readonly labels: (name: string) => FakePullRequest;
  readonly unlabels: (name: string) => FakePullRequest;
  /** Adds the pull request to the merge queue, which asks for the checks of this commit. */
  readonly queues: () => Sha;
};

/** Creates a person who acts on one pull request. */
export function createPerson(
  apply: ApplyGitHubOperation,
  { accountId, branch, repositoryId, number }: PersonContext,
): FakePerson {
  const actor: FakeActor = { accountId, viaAppId: null };
  const repositoryTarget = { actor, repositoryId };
  const target = { ...repositoryTarget, number };
  return {
    actor,
    says: (body) => apply(createIssueComment, { ...target, body }),
    replies: (inReplyTo, body) => apply(replyToReviewComment, { ...target, inReplyTo, body }),
    reviews: (review) => apply(createPullRequestReview, { ...target, ...review }),
    editsReview: (reviewId, body) => apply(editPullRequestReview, { ...target, reviewId, body }),
    dismisses: (reviewId, message) => apply(dismissPullRequestReview, { ...target, reviewId, message }),
    pushes: (files, commit) =>
      apply(pushFiles, { ...repositoryTarget, branch, files: new Map(Object.entries(files)), ...commit }),
    commitsSuggestions: (...commentIds) => apply(commitSuggestion, { ...target, commentIds }),
    edits: (commentId, body) => apply(editIssueComment, { ...repositoryTarget, commentId, body }),
    hides: (commentId) => apply(minimizeComment, { ...repositoryTarget, commentId }),
    deletes: (commentId) => apply(deleteIssueComment, { ...repositoryTarget, commentId }),
    editsInThread: (commentId, body) => apply(editReviewComment, { ...repositoryTarget, commentId, body }),
    deletesInThread: (commentId) => apply(deleteReviewComment, { ...repositoryTarget, commentId }),
    resolves: (threadNodeId) => apply(resolveReviewThread, { actor, threadNodeId }),
    unresolves: (threadNodeId) => apply(unresolveReviewThread, { actor, threadNodeId }),
    closes: () => apply(closePullRequest, target),
    reopens: () => apply(reopenPullRequest, target),
    merges: () => apply(mergePullRequest, target),
    retargets: (base) => apply(editPullRequest, { ...target, base }),
    locks: () => apply(lockPullRequest, { ...target, locked: true }),
    unlocks: () => apply(lockPullRequest, { ...target, locked: false }),
    makesDraft: (draft) => apply(setPullRequestDraft, { ...target, draft }),
    presses: (checkRunId, identifier) => apply(pressCheckButton, { ...repositoryTarget, checkRunId, identifier }),
    labels: (name) => apply(addLabel, { ...target, name }),
    unlabels: (name) => apply(removeLabel, { ...target, name }),
    queues: () => apply(requestMergeGroupChecks, target),
    deletesBranch: (name) => apply(deleteGitRef, { ...repositoryTarget, ref: `refs/heads/${name}` }),
  };
}

type FileContents = Readonly<Record<string, string | Uint8Array | null>>;
