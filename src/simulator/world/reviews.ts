import { bodyChange, reviewCommentEvent, reviewEvent } from '../payloads/events.ts';
import { isShutOut, mayModerate } from './comments.ts';
import type { CreateReview, DismissReview, EditReview, OnReview, ReviewEvent, SubmitReview } from './inputs.ts';
import { mayWrite, type PullPlace, pullPlace } from './lookup.ts';
import { type CheckedPlace, checkPlace, continueThread, openThread } from './open-thread.ts';
import type { ApiError, Operation, Outcome, WebhookEvent } from './outcome.ts';
import { LOCK_PREVENTS_REVIEW, NOT_ALLOWED, NOT_FOUND, unprocessableEntity } from './refusals.ts';
import { pendingRefusal, reviewAnchorRefusal, textRefusal, verdictRefusal } from './review-refusals.ts';
import type { PullRequest, World } from './state.ts';
import type { Review, ReviewState } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withEntry, withoutEntry, withPull } from './update.ts';

const STATES: Readonly<Record<ReviewEvent, ReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

/** Makes a review with all its comments, or nothing: one bad place or text refuses all of it. */
export const createReview: Operation<CreateReview, Review> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  if (place === undefined) return refused(world, NOT_FOUND);
  const { repository, pull } = place;
  if (isShutOut(repository, pull, input.actor)) return refused(world, unprocessableEntity(LOCK_PREVENTS_REVIEW));
  const checked = checkReview(world, pull, input);
  if ('status' in checked) return refused(world, checked);
  const [id, counted] = takeId(world);
  const review = newReview(input, { id, commitSha: input.commitSha ?? pull.head.sha }, now);
  let opened = {
    world: counted,
    pull: { ...pull, reviews: withEntry(pull.reviews, id, review), updatedAt: timestamp(now) },
  };
  for (const { place: at, body } of checked.comments) {
    opened = openThread(opened.world, opened.pull, at, { actor: input.actor, reviewId: id, body }, now);
  }
  for (const { threadId, body } of checked.replies) {
    opened = continueThread(opened.world, opened.pull, threadId, { actor: input.actor, reviewId: id, body }, now);
  }
  const kept = withPull(opened.world, repository.id, opened.pull);
  const about = { repositoryId: repository.id, number: pull.number, id, after: review.commitSha };
  const state = recorded(kept, 'review-created', input.actor, now, about);
  const events =
    input.event === undefined ? [] : publication(state, { repository, pull: opened.pull }, review, input.actor);
  return done(state, review, events);
};

/** Publishes a pending review of one's own. Its commit is the head at this moment. */
export const submitReview: Operation<SubmitReview, Review> = (world, input, now) => {
  const found = ownPending(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { pull, review } = found;
  const body = input.body ?? review.body;
  const refusal = verdictRefusal(pull, input.actor.accountId, { event: input.event, body });
  if (refusal !== undefined) return refused(world, refusal);
  const at = timestamp(now);
  const submitted = {
    ...review,
    body,
    state: STATES[input.event],
    commitSha: pull.head.sha,
    submittedAt: at,
    updatedAt: at,
  };
  return changed(world, found, submitted, input, { kind: 'review-submitted', now }, (state, place) =>
    publication(state, place, submitted, input.actor),
  );
};

/** Changes the summary of a review; its author may, and whoever may write once it was submitted. */
export const editReview: Operation<EditReview, Review> = (world, input, now) => {
  const found = reviewPlace(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { repository, review } = found;
  const isMine = review.authorId === input.actor.accountId;
  if (!isMine && (review.state === 'PENDING' || !mayModerate(repository, input.actor, review.authorId)))
    return refused(world, NOT_ALLOWED);
  const edited = { ...review, body: input.body, updatedAt: timestamp(now) };
  return changed(world, found, edited, input, { kind: 'review-edited', now }, (state, place) =>
    review.state === 'PENDING'
      ? []
      : [reviewEvent(state, { ...place, review: edited }, 'edited', input.actor, bodyChange(review.body))],
  );
};

/** Takes the force from an approval or a request for changes; comments cannot be dismissed. */
export const dismissReview: Operation<DismissReview, Review> = (world, input, now) => {
  const found = reviewPlace(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { repository, review } = found;
  const { actor } = input;
  if (actor.viaAppId === null && !mayWrite(repository, actor.accountId)) return refused(world, NOT_ALLOWED);
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    return refused(world, unprocessableEntity(`Can not dismiss a ${review.state.toLowerCase()} pull request review`));
  }
  const dismissed: Review = { ...review, state: 'DISMISSED', updatedAt: timestamp(now) };
  return changed(world, found, dismissed, input, { kind: 'review-dismissed', now }, (state, place) => [
    reviewEvent(state, { ...place, review: dismissed }, 'dismissed', actor),
  ]);
};

/** Throws away a pending review of one's own with its comments. */
export const deletePendingReview: Operation<OnReview, Review> = (world, input, now) => {
  const found = reviewPlace(world, input);
  if (found === undefined) return refused(world, NOT_FOUND);
  const { repository, pull, review } = found;
  if (review.state !== 'PENDING')
    return refused(world, unprocessableEntity('Can not delete a non-pending pull request review'));
  if (review.authorId !== input.actor.accountId) return refused(world, NOT_FOUND);
  const comments = [...pull.reviewComments].filter(([, comment]) => comment.reviewId !== review.id);
  const reviewComments = new Map(comments);
  const threads = new Map([...pull.threads].filter(([id]) => reviewComments.has(id)));
  const next = { ...pull, reviews: withoutEntry(pull.reviews, review.id), reviewComments, threads };
  const about = { repositoryId: repository.id, number: pull.number, id: review.id };
  const state = recorded(withPull(world, repository.id, next), 'review-deleted', input.actor, now, about);
  return done(state, review);
};

type ReviewPlace = PullPlace & { readonly review: Review };
type Checked = {
  readonly comments: readonly { readonly place: CheckedPlace; readonly body: string }[];
  readonly replies: readonly { readonly threadId: number; readonly body: string }[];
};

function checkReview(world: World, pull: PullRequest, input: CreateReview): ApiError | Checked {
  const commitSha = input.commitSha ?? pull.head.sha;
  if (world.store.objects.get(commitSha)?.type !== 'commit')
    return unprocessableEntity('commit_id is not part of the pull request');
  const authorId = input.actor.accountId;
  const refusal =
    pendingRefusal(pull, authorId, 'review') ?? verdictRefusal(pull, authorId, input) ?? textRefusal(input);
  if (refusal !== undefined) return refusal;
  const places = (input.comments ?? []).map((comment) => checkPlace(world, pull, commitSha, comment));
  const problems = places.filter((place) => typeof place === 'string');
  if (problems.length > 0) return reviewAnchorRefusal(problems);
  const found = places.filter((place) => typeof place !== 'string');
  const replies = repliesIn(pull, input);
  if ('status' in replies) return replies;
  return { comments: found.map((place, index) => ({ place, body: input.comments?.[index]?.body ?? '' })), replies };
}

/** Replies are written below the first comment of a thread that everybody sees. */
function repliesIn(pull: PullRequest, { replies = [] }: CreateReview): Checked['replies'] | ApiError {
  const targets = replies.map(({ inReplyTo }) => pull.reviewComments.get(inReplyTo));
  const isRoot = targets.every(
    (one) => one?.inReplyToId === null && pull.reviews.get(one.reviewId)?.state !== 'PENDING',
  );
  if (!isRoot) return NOT_FOUND;
  return replies.map(({ inReplyTo: threadId, body }) => ({ threadId, body }));
}

function newReview(input: CreateReview, identity: Pick<Review, 'id' | 'commitSha'>, now: number): Review {
  const at = timestamp(now);
  return {
    ...identity,
    nodeId: nodeId('PRR', identity.id),
    authorId: input.actor.accountId,
    body: input.body ?? '',
    state: input.event === undefined ? 'PENDING' : STATES[input.event],
    submittedAt: input.event === undefined ? null : at,
    updatedAt: at,
  };
}

/** The events that make a review known: one for itself, one for each of its comments. */
export function publication(
  world: World,
  place: PullPlace,
  review: Review,
  actor: OnReview['actor'],
): readonly WebhookEvent[] {
  const comments = [...place.pull.reviewComments.values()].filter(({ reviewId }) => reviewId === review.id);
  return [
    reviewEvent(world, { ...place, review }, 'submitted', actor),
    ...comments.map((comment) => reviewCommentEvent(world, { ...place, comment }, 'created', actor)),
  ];
}

function reviewPlace(world: World, input: OnReview): ReviewPlace | undefined {
  const place = pullPlace(world, input.repositoryId, input.number);
  const review = place?.pull.reviews.get(input.reviewId);
  return place === undefined || review === undefined ? undefined : { ...place, review };
}

function ownPending(world: World, input: OnReview): ReviewPlace | undefined {
  const found = reviewPlace(world, input);
  return found?.review.state === 'PENDING' && found.review.authorId === input.actor.accountId ? found : undefined;
}

type Write = { readonly kind: 'review-submitted' | 'review-edited' | 'review-dismissed'; readonly now: number };

function changed(
  world: World,
  { repository, pull }: ReviewPlace,
  review: Review,
  { actor }: OnReview,
  { kind, now }: Write,
  tell: (state: World, place: PullPlace) => readonly WebhookEvent[],
): Outcome<Review> {
  const next = { ...pull, reviews: withEntry(pull.reviews, review.id, review) };
  const about = { repositoryId: repository.id, number: pull.number, id: review.id };
  const state = recorded(withPull(world, repository.id, next), kind, actor, now, about);
  return done(state, review, tell(state, { repository, pull: next }));
}
