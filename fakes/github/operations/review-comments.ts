import { createReviewCommentEvent, describeBodyChange } from '../payloads/webhook-events.ts';
import type { FakePullRequest, FakeReview, FakeReviewComment, GitHubState } from '../state/github-state.ts';
import { type LocatedPull, locatePull, locateReviewComment } from '../state/lookup.ts';
import {
  ADMIN_RIGHTS_ERROR,
  type ApiError,
  checkBody,
  LOCK_PREVENTS_REVIEW_MESSAGE,
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  validationError,
} from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  mapWithoutEntry,
  putPull,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import { canModerate, isLockedOut } from './comments.ts';
import type {
  CommentTarget,
  CreateReviewCommentInput,
  EditCommentInput,
  PullTarget,
  ReplyToReviewCommentInput,
} from './inputs.ts';
import { addThreadReply, createThread, resolvePlacement } from './review-threads.ts';
import { checkNoPendingReview, commentAnchorError, createSubmissionEvents } from './reviews.ts';

const REVIEW_COMMENT_RESOURCE = 'PullRequestReviewComment';

/** Creates a single review comment. GitHub puts it in a review without a body and sends webhooks for both. */
export const createReviewComment: Operation<CreateReviewCommentInput, FakeReviewComment> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const problem = checkReviewComment(located, input);
  if (located === undefined || problem !== undefined) return refuseWith(github, problem ?? NOT_FOUND_ERROR);
  if (github.store.objects.get(input.commitSha)?.type !== 'commit') {
    const message = 'commit_id is not part of the pull request';
    return refuseWith(
      github,
      validationError({ resource: REVIEW_COMMENT_RESOURCE, code: 'custom', field: 'commit_id', message }),
    );
  }
  const checked = resolvePlacement(github, located.pull, input.commitSha, input);
  if (typeof checked === 'string') return refuseWith(github, commentAnchorError(checked));
  return addInNewReview(github, located, input, now, (allocated, pull, reviewId) =>
    createThread(allocated, pull, checked, { actor: input.actor, reviewId, body: input.body }, now),
  );
};

/** Replies in a thread. `inReplyTo` must be its first comment. */
export const replyToReviewComment: Operation<ReplyToReviewCommentInput, FakeReviewComment> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const problem = checkReviewComment(located, input);
  if (located === undefined || problem !== undefined) return refuseWith(github, problem ?? NOT_FOUND_ERROR);
  const target = located.pull.reviewComments.get(input.inReplyTo);
  const published = target !== undefined && located.pull.reviews.get(target.reviewId)?.state !== 'PENDING';
  if (target === undefined || !published) return refuseWith(github, NOT_FOUND_ERROR);
  if (target.inReplyToId !== null) {
    return refuseWith(
      github,
      validationError({ resource: REVIEW_COMMENT_RESOURCE, code: 'invalid', field: 'in_reply_to' }),
    );
  }
  return addInNewReview(github, located, input, now, (allocated, pull, reviewId) =>
    addThreadReply(allocated, pull, target.threadId, { actor: input.actor, reviewId, body: input.body }, now),
  );
};

/** Edits a comment. Allowed for its author, for people with write access and for Apps. */
export const editReviewComment: Operation<EditCommentInput, FakeReviewComment> = (github, input, now) => {
  const found = locateReviewComment(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull, comment: before } = found;
  if (!canModerate(repository, input.actor, before.authorId)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const problem = checkBody(REVIEW_COMMENT_RESOURCE, input.body);
  if (problem !== undefined) return refuseWith(github, problem);
  const comment = { ...before, body: input.body, updatedAt: formatTimestamp(now) };
  const next = { ...pull, reviewComments: mapWithEntry(pull.reviewComments, comment.id, comment) };
  const details = { repositoryId: repository.id, number: pull.number, id: comment.id };
  const state = withAuditEntry(
    putPull(github, repository.id, next),
    'review-comment-edited',
    input.actor,
    now,
    details,
  );
  const shown = { repository, pull: next, comment };
  return succeedWith(state, comment, [
    createReviewCommentEvent(state, shown, 'edited', input.actor, describeBodyChange(before.body)),
  ]);
};

/** Deletes a comment, and its thread if it was the last comment there. */
export const deleteReviewComment: Operation<CommentTarget, null> = (github, input, now) => {
  const found = locateReviewComment(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull, comment } = found;
  if (!canModerate(repository, input.actor, comment.authorId)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const reviewComments = mapWithoutEntry(pull.reviewComments, comment.id);
  const hasOtherComments = [...reviewComments.values()].some(({ threadId }) => threadId === comment.threadId);
  const threads = hasOtherComments ? pull.threads : mapWithoutEntry(pull.threads, comment.threadId);
  const details = { repositoryId: repository.id, number: pull.number, id: comment.id };
  const updated = putPull(github, repository.id, { ...pull, reviewComments, threads });
  const state = withAuditEntry(updated, 'review-comment-deleted', input.actor, now, details);
  // The webhook still shows the location of the deleted comment.
  return succeedWith(state, null, [
    createReviewCommentEvent(state, { repository, pull, comment }, 'deleted', input.actor),
  ]);
};

type ReviewCommentInput = PullTarget & { readonly body: string };

function checkReviewComment(located: LocatedPull | undefined, input: ReviewCommentInput): ApiError | undefined {
  if (located === undefined) return NOT_FOUND_ERROR;
  if (isLockedOut(located.repository, located.pull, input.actor))
    return validationError({
      resource: REVIEW_COMMENT_RESOURCE,
      code: 'custom',
      message: LOCK_PREVENTS_REVIEW_MESSAGE,
    });
  return (
    checkNoPendingReview(located.pull, input.actor.accountId, 'comment') ??
    checkBody(REVIEW_COMMENT_RESOURCE, input.body)
  );
}

type AddedReviewComment = {
  readonly github: GitHubState;
  readonly pull: FakePullRequest;
  readonly comment: FakeReviewComment;
};

/** Adds a comment as GitHub does: in a new review without a body. */
function addInNewReview(
  github: GitHubState,
  { repository, pull }: LocatedPull,
  { actor }: ReviewCommentInput,
  now: number,
  add: (allocated: GitHubState, pull: FakePullRequest, reviewId: number) => AddedReviewComment,
): OperationResult<FakeReviewComment> {
  const [id, allocated] = allocateId(github);
  const at = formatTimestamp(now);
  const commitSha = pull.head.sha;
  const review: FakeReview = {
    id,
    nodeId: createNodeId('PRR', id),
    authorId: actor.accountId,
    body: '',
    commitSha,
    submittedAt: at,
    updatedAt: at,
    state: 'COMMENTED',
  };
  const added = add(allocated, { ...pull, reviews: mapWithEntry(pull.reviews, id, review), updatedAt: at }, id);
  const details = { repositoryId: repository.id, number: pull.number, id: added.comment.id, after: pull.head.sha };
  const updated = putPull(added.github, repository.id, added.pull);
  const state = withAuditEntry(updated, 'review-comment-created', actor, now, details);
  return succeedWith(
    state,
    added.comment,
    createSubmissionEvents(state, { repository, pull: added.pull }, review, actor),
  );
}
