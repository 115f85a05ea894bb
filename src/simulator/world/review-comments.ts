import { bodyChange, reviewCommentEvent } from '../payloads/events.ts';
import { isShutOut, mayModerate } from './comments.ts';
import type { CreateReviewComment, EditComment, OnComment, OnPull, ReplyToReviewComment } from './inputs.ts';
import { type PullPlace, pullOfReviewComment, pullPlace } from './lookup.ts';
import { checkPlace, continueThread, openThread } from './open-thread.ts';
import type { ApiError, Operation, Outcome } from './outcome.ts';
import { bodyProblem, LOCK_PREVENTS_REVIEW, NOT_ALLOWED, NOT_FOUND, validationFailed } from './refusals.ts';
import { commentAnchorRefusal, pendingRefusal } from './review-refusals.ts';
import { publication } from './reviews.ts';
import type { PullRequest, World } from './state.ts';
import type { Review, ReviewComment } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withEntry, withoutEntry, withPull } from './update.ts';

const RESOURCE = 'PullRequestReviewComment';

/** One inline comment. GitHub makes a review without words around it, and tells both. */
export const createReviewComment: Operation<CreateReviewComment, ReviewComment> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const problem = sayingProblem(place, input);
  if (place === undefined || problem !== undefined) return refused(world, problem ?? NOT_FOUND);
  if (world.store.objects.get(input.commitSha)?.type !== 'commit') {
    const message = 'commit_id is not part of the pull request';
    return refused(world, validationFailed({ resource: RESOURCE, code: 'custom', field: 'commit_id', message }));
  }
  const checked = checkPlace(world, place.pull, input.commitSha, input);
  if (typeof checked === 'string') return refused(world, commentAnchorRefusal(checked));
  return inOwnReview(world, place, input, now, (started, pull, reviewId) =>
    openThread(started, pull, checked, { actor: input.actor, reviewId, body: input.body }, now),
  );
};

/** A reply in a thread, by the id of its first comment; replies cannot be replied to. */
export const replyToReviewComment: Operation<ReplyToReviewComment, ReviewComment> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const problem = sayingProblem(place, input);
  if (place === undefined || problem !== undefined) return refused(world, problem ?? NOT_FOUND);
  const target = place.pull.reviewComments.get(input.inReplyTo);
  const published = target !== undefined && place.pull.reviews.get(target.reviewId)?.state !== 'PENDING';
  if (target === undefined || !published) return refused(world, NOT_FOUND);
  if (target.inReplyToId !== null) {
    return refused(world, validationFailed({ resource: RESOURCE, code: 'invalid', field: 'in_reply_to' }));
  }
  return inOwnReview(world, place, input, now, (started, pull, reviewId) =>
    continueThread(started, pull, target.threadId, { actor: input.actor, reviewId, body: input.body }, now),
  );
};

/** Changes a comment's body: its author, people with write access and Apps may. */
export const editReviewComment: Operation<EditComment, ReviewComment> = (world, input, now) => {
  const found = commentPlace(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { repository, pull, comment: before } = found;
  if (!mayModerate(repository, input.actor, before.authorId)) return refused(world, NOT_ALLOWED);
  const problem = bodyProblem(RESOURCE, input.body);
  if (problem !== undefined) return refused(world, problem);
  const comment = { ...before, body: input.body, updatedAt: timestamp(now) };
  const next = { ...pull, reviewComments: withEntry(pull.reviewComments, comment.id, comment) };
  const about = { repositoryId: repository.id, number: pull.number, id: comment.id };
  const state = recorded(withPull(world, repository.id, next), 'review-comment-edited', input.actor, now, about);
  const shown = { repository, pull: next, comment };
  return done(state, comment, [reviewCommentEvent(state, shown, 'edited', input.actor, bodyChange(before.body))]);
};

/** Deletes a comment; the thread stays while it has others, and goes with its last. */
export const deleteReviewComment: Operation<OnComment, null> = (world, input, now) => {
  const found = commentPlace(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { repository, pull, comment } = found;
  if (!mayModerate(repository, input.actor, comment.authorId)) return refused(world, NOT_ALLOWED);
  const reviewComments = withoutEntry(pull.reviewComments, comment.id);
  const alive = [...reviewComments.values()].some(({ threadId }) => threadId === comment.threadId);
  const threads = alive ? pull.threads : withoutEntry(pull.threads, comment.threadId);
  const about = { repositoryId: repository.id, number: pull.number, id: comment.id };
  const kept = withPull(world, repository.id, { ...pull, reviewComments, threads });
  const state = recorded(kept, 'review-comment-deleted', input.actor, now, about);
  // The event still shows where the comment stood.
  return done(state, null, [reviewCommentEvent(state, { repository, pull, comment }, 'deleted', input.actor)]);
};

type Said = OnPull & { readonly body: string };

function sayingProblem(place: PullPlace | undefined, input: Said): ApiError | undefined {
  if (place === undefined) return NOT_FOUND;
  if (isShutOut(place.repository, place.pull, input.actor))
    return validationFailed({ resource: RESOURCE, code: 'custom', message: LOCK_PREVENTS_REVIEW });
  return pendingRefusal(place.pull, input.actor.accountId, 'comment') ?? bodyProblem(RESOURCE, input.body);
}

type Added = { readonly world: World; readonly pull: PullRequest; readonly comment: ReviewComment };

function inOwnReview(
  world: World,
  { repository, pull }: PullPlace,
  { actor }: Said,
  now: number,
  add: (started: World, pull: PullRequest, reviewId: number) => Added,
): Outcome<ReviewComment> {
  const [id, counted] = takeId(world);
  const at = timestamp(now);
  const commitSha = pull.head.sha;
  const said = {
    id,
    nodeId: nodeId('PRR', id),
    authorId: actor.accountId,
    body: '',
    commitSha,
    submittedAt: at,
    updatedAt: at,
  };
  const review: Review = { ...said, state: 'COMMENTED' };
  const added = add(counted, { ...pull, reviews: withEntry(pull.reviews, id, review), updatedAt: at }, id);
  const about = { repositoryId: repository.id, number: pull.number, id: added.comment.id, after: pull.head.sha };
  const kept = withPull(added.world, repository.id, added.pull);
  const state = recorded(kept, 'review-comment-created', actor, now, about);
  return done(state, added.comment, publication(state, { repository, pull: added.pull }, review, actor));
}

function commentPlace(world: World, { repositoryId, commentId }: OnComment) {
  const repository = world.repositories.get(repositoryId);
  const pull = repository === undefined ? undefined : pullOfReviewComment(repository, commentId);
  const comment = pull?.reviewComments.get(commentId);
  if (repository === undefined || pull === undefined || comment === undefined) return undefined;
  return { repository, pull, comment };
}
