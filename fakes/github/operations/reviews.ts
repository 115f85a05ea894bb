import { createReviewCommentEvent, createReviewEvent, describeBodyChange } from '../payloads/webhook-events.ts';
import type { FakePullRequest, FakeReview, FakeReviewState, GitHubState } from '../state/github-state.ts';
import { canPush, type LocatedPull, locatePull } from '../state/lookup.ts';
import {
  ADMIN_RIGHTS_ERROR,
  type ApiError,
  type ApiFieldError,
  LOCK_PREVENTS_REVIEW_MESSAGE,
  MAX_BODY_CHARACTERS,
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  unprocessableEntityError,
  validationError,
  type WebhookEvent,
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
  CreateReviewInput,
  DismissReviewInput,
  EditReviewInput,
  ReviewEventName,
  ReviewTarget,
  SubmitReviewInput,
} from './inputs.ts';
import { addThreadReply, createThread, type ResolvedPlacement, resolvePlacement } from './review-threads.ts';
import type { AnchorProblem } from './thread-anchors.ts';

const STATE_BY_EVENT: Readonly<Record<ReviewEventName, FakeReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

/** Creates a review with all its comments, or nothing if one location or text is invalid. */
export const createPullRequestReview: Operation<CreateReviewInput, FakeReview> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull } = located;
  if (isLockedOut(repository, pull, input.actor))
    return refuseWith(github, unprocessableEntityError(LOCK_PREVENTS_REVIEW_MESSAGE));
  const checked = checkReviewInput(github, pull, input);
  if ('status' in checked) return refuseWith(github, checked);
  const [id, allocated] = allocateId(github);
  const review = createReviewRecord(input, { id, commitSha: input.commitSha ?? pull.head.sha }, now);
  let added = {
    github: allocated,
    pull: { ...pull, reviews: mapWithEntry(pull.reviews, id, review), updatedAt: formatTimestamp(now) },
  };
  for (const { placement, body } of checked.comments) {
    added = createThread(added.github, added.pull, placement, { actor: input.actor, reviewId: id, body }, now);
  }
  for (const { threadId, body } of checked.replies) {
    added = addThreadReply(added.github, added.pull, threadId, { actor: input.actor, reviewId: id, body }, now);
  }
  const updated = putPull(added.github, repository.id, added.pull);
  const details = { repositoryId: repository.id, number: pull.number, id, after: review.commitSha };
  const state = withAuditEntry(updated, 'review-created', input.actor, now, details);
  const events =
    input.event === undefined
      ? []
      : createSubmissionEvents(state, { repository, pull: added.pull }, review, input.actor);
  return succeedWith(state, review, events);
};

/** Publishes the actor’s pending review at the current head. */
export const submitPullRequestReview: Operation<SubmitReviewInput, FakeReview> = (github, input, now) => {
  const found = findOwnPendingReview(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { pull, review } = found;
  const body = input.body ?? review.body;
  const refusal = checkReviewEvent(pull, input.actor.accountId, { event: input.event, body });
  if (refusal !== undefined) return refuseWith(github, refusal);
  const at = formatTimestamp(now);
  const submitted = {
    ...review,
    body,
    state: STATE_BY_EVENT[input.event],
    commitSha: pull.head.sha,
    submittedAt: at,
    updatedAt: at,
  };
  return updateReview(github, found, submitted, input, { kind: 'review-submitted', now }, (state, located) =>
    createSubmissionEvents(state, located, submitted, input.actor),
  );
};

/** Edits the body of a review. Allowed for its author; after submission also for people with write access and Apps. */
export const editPullRequestReview: Operation<EditReviewInput, FakeReview> = (github, input, now) => {
  const found = locateReview(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, review } = found;
  const isAuthor = review.authorId === input.actor.accountId;
  if (!isAuthor && (review.state === 'PENDING' || !canModerate(repository, input.actor, review.authorId)))
    return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const edited = { ...review, body: input.body, updatedAt: formatTimestamp(now) };
  return updateReview(github, found, edited, input, { kind: 'review-edited', now }, (state, located) =>
    review.state === 'PENDING'
      ? []
      : [
          createReviewEvent(
            state,
            { ...located, review: edited },
            'edited',
            input.actor,
            describeBodyChange(review.body),
          ),
        ],
  );
};

/** Dismisses an approval or a request for changes. Other reviews cannot be dismissed. */
export const dismissPullRequestReview: Operation<DismissReviewInput, FakeReview> = (github, input, now) => {
  const found = locateReview(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, review } = found;
  const { actor } = input;
  if (actor.viaAppId === null && !canPush(repository, actor.accountId)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    return refuseWith(
      github,
      unprocessableEntityError(`Can not dismiss a ${review.state.toLowerCase()} pull request review`),
    );
  }
  const dismissed: FakeReview = { ...review, state: 'DISMISSED', updatedAt: formatTimestamp(now) };
  return updateReview(github, found, dismissed, input, { kind: 'review-dismissed', now }, (state, located) => [
    createReviewEvent(state, { ...located, review: dismissed }, 'dismissed', actor),
  ]);
};

/** Deletes the actor’s pending review with its comments. */
export const deletePendingReview: Operation<ReviewTarget, FakeReview> = (github, input, now) => {
  const found = locateReview(github, input);
  if (found === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull, review } = found;
  if (review.state !== 'PENDING')
    return refuseWith(github, unprocessableEntityError('Can not delete a non-pending pull request review'));
  if (review.authorId !== input.actor.accountId) return refuseWith(github, NOT_FOUND_ERROR);
  const comments = [...pull.reviewComments].filter(([, comment]) => comment.reviewId !== review.id);
  const reviewComments = new Map(comments);
  const threads = new Map([...pull.threads].filter(([id]) => reviewComments.has(id)));
  const next = { ...pull, reviews: mapWithoutEntry(pull.reviews, review.id), reviewComments, threads };
  const details = { repositoryId: repository.id, number: pull.number, id: review.id };
  const state = withAuditEntry(putPull(github, repository.id, next), 'review-deleted', input.actor, now, details);
  return succeedWith(state, review);
};

type LocatedReview = LocatedPull & { readonly review: FakeReview };

type CheckedReview = {
  readonly comments: readonly { readonly placement: ResolvedPlacement; readonly body: string }[];
  readonly replies: readonly { readonly threadId: number; readonly body: string }[];
};

function checkReviewInput(
  github: GitHubState,
  pull: FakePullRequest,
  input: CreateReviewInput,
): ApiError | CheckedReview {
  const commitSha = input.commitSha ?? pull.head.sha;
  if (github.store.objects.get(commitSha)?.type !== 'commit')
    return unprocessableEntityError('The commitOID is not part of the pull request');
  const authorId = input.actor.accountId;
  const refusal =
    checkNoPendingReview(pull, authorId, 'review') ??
    checkReviewEvent(pull, authorId, input) ??
    checkReviewTexts(input);
  if (refusal !== undefined) return refusal;
  const placements = (input.comments ?? []).map((comment) => resolvePlacement(github, pull, commitSha, comment));
  const problems = placements.filter((placement) => typeof placement === 'string');
  if (problems.length > 0) return reviewAnchorError(problems);
  const found = placements.filter((placement) => typeof placement !== 'string');
  const replies = resolveReplies(pull, input);
  if ('status' in replies) return replies;
  return {
    comments: found.map((placement, index) => ({ placement, body: input.comments?.[index]?.body ?? '' })),
    replies,
  };
}

/** A reply must name the first comment of a published thread. */
function resolveReplies(
  pull: FakePullRequest,
  { replies = [] }: CreateReviewInput,
): CheckedReview['replies'] | ApiError {
  const targets = replies.map(({ inReplyTo }) => pull.reviewComments.get(inReplyTo));
  const areValid = targets.every(
    (one) => one?.inReplyToId === null && pull.reviews.get(one.reviewId)?.state !== 'PENDING',
  );
  if (!areValid) return NOT_FOUND_ERROR;
  return replies.map(({ inReplyTo: threadId, body }) => ({ threadId, body }));
}

function createReviewRecord(
  input: CreateReviewInput,
  identity: Pick<FakeReview, 'id' | 'commitSha'>,
  now: number,
): FakeReview {
  const at = formatTimestamp(now);
  return {
    ...identity,
    nodeId: createNodeId('PRR', identity.id),
    authorId: input.actor.accountId,
    body: input.body ?? '',
    state: input.event === undefined ? 'PENDING' : STATE_BY_EVENT[input.event],
    submittedAt: input.event === undefined ? null : at,
    updatedAt: at,
  };
}

/** Creates the webhooks of a submitted review: one for the review and one for each comment. */
export function createSubmissionEvents(
  github: GitHubState,
  located: LocatedPull,
  review: FakeReview,
  actor: ReviewTarget['actor'],
): readonly WebhookEvent[] {
  const comments = [...located.pull.reviewComments.values()].filter(({ reviewId }) => reviewId === review.id);
  return [
    createReviewEvent(github, { ...located, review }, 'submitted', actor),
    ...comments.map((comment) => createReviewCommentEvent(github, { ...located, comment }, 'created', actor)),
  ];
}

function locateReview(github: GitHubState, input: ReviewTarget): LocatedReview | undefined {
  const located = locatePull(github, input.repositoryId, input.number);
  const review = located?.pull.reviews.get(input.reviewId);
  return located === undefined || review === undefined ? undefined : { ...located, review };
}

function findOwnPendingReview(github: GitHubState, input: ReviewTarget): LocatedReview | undefined {
  const found = locateReview(github, input);
  return found?.review.state === 'PENDING' && found.review.authorId === input.actor.accountId ? found : undefined;
}

type ReviewUpdate = { readonly kind: 'review-submitted' | 'review-edited' | 'review-dismissed'; readonly now: number };

function updateReview(
  github: GitHubState,
  { repository, pull }: LocatedReview,
  review: FakeReview,
  { actor }: ReviewTarget,
  { kind, now }: ReviewUpdate,
  createEvents: (state: GitHubState, located: LocatedPull) => readonly WebhookEvent[],
): OperationResult<FakeReview> {
  const next = { ...pull, reviews: mapWithEntry(pull.reviews, review.id, review) };
  const details = { repositoryId: repository.id, number: pull.number, id: review.id };
  const state = withAuditEntry(putPull(github, repository.id, next), kind, actor, now, details);
  return succeedWith(state, review, createEvents(state, { repository, pull: next }));
}

const REVIEW_ANCHOR_MESSAGES: Readonly<Record<AnchorProblem, string>> = {
  path: 'Path could not be resolved',
  line: 'Line could not be resolved',
  start: 'Pull request review thread start line must be part of the same hunk as the line.',
  order: 'Pull request review thread start line must precede the end line.',
};

const COMMENT_ANCHOR_ERRORS: Readonly<Record<AnchorProblem, Omit<ApiFieldError, 'resource' | 'code'>>> = {
  path: { field: 'pull_request_review_thread.path', message: 'pull_request_review_thread.path is invalid' },
  line: {
    field: 'pull_request_review_thread.line',
    message: 'pull_request_review_thread.line must be part of the diff',
  },
  start: {
    field: 'pull_request_review_thread.start_line',
    message: 'pull_request_review_thread.start_line must be part of the same hunk as the line.',
  },
  order: {
    field: 'pull_request_review_thread.start_line',
    message: 'pull_request_review_thread.start_line must precede the end line.',
  },
};

const ONE_PENDING_MESSAGE = 'can only have one pending review per pull request';

/** The 422 of the reviews endpoint: all problems in one sentence, which does not name the comments. */
function reviewAnchorError(problems: readonly AnchorProblem[]): ApiError {
  const messages = problems.map((problem) => REVIEW_ANCHOR_MESSAGES[problem]);
  const [last = '', ...others] = messages.toReversed();
  if (others.length < 2) return unprocessableEntityError(messages.join(' and '));
  return unprocessableEntityError(`${others.toReversed().join(', ')}, and ${last}`);
}

/** The 422 of the comments endpoint. */
export function commentAnchorError(problem: AnchorProblem): ApiError {
  return validationError({ resource: 'PullRequestReviewComment', code: 'custom', ...COMMENT_ANCHOR_ERRORS[problem] });
}

/** With a pending review, an account cannot add another review, comment or reply. */
export function checkNoPendingReview(
  pull: FakePullRequest,
  authorId: number,
  kind: 'review' | 'comment',
): ApiError | undefined {
  const pending = [...pull.reviews.values()].some(
    (review) => review.state === 'PENDING' && review.authorId === authorId,
  );
  if (!pending) return undefined;
  if (kind === 'review') return unprocessableEntityError(`User ${ONE_PENDING_MESSAGE}`);
  const message = `user_id ${ONE_PENDING_MESSAGE}`;
  return validationError({ resource: 'PullRequestReview', code: 'custom', field: 'user_id', message });
}

function checkReviewEvent(
  pull: FakePullRequest,
  authorId: number,
  { event, body = '' }: { readonly event?: ReviewEventName | undefined; readonly body?: string | undefined },
): ApiError | undefined {
  const own = pull.authorId === authorId;
  if (own && event === 'APPROVE') return unprocessableEntityError('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES')
    return unprocessableEntityError('Can not request changes on your own pull request');
  const needsBody = event === 'COMMENT' || event === 'REQUEST_CHANGES';
  return needsBody && body.trim() === '' ? unprocessableEntityError("Body can't be blank") : undefined;
}

/** Returns an error if one of the texts is too long, or if a comment is blank. */
function checkReviewTexts({ body = '', comments = [], replies = [] }: CreateReviewInput): ApiError | undefined {
  const texts = [...comments, ...replies].map((comment) => comment.body);
  const tooLong = `Body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`;
  if ([body, ...texts].some((text) => text.length > MAX_BODY_CHARACTERS)) {
    return unprocessableEntityError(tooLong);
  }
  if (texts.some((text) => text.trim() === '')) return unprocessableEntityError("Body can't be blank");
  return undefined;
}
