import { isRecord } from '../../../src/lib/trust.ts';
import { needsPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  invalidFieldResponse,
  listResponse,
  notFoundResponse,
  okResponse,
  operationResponse,
} from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { CommentPositionInput, ReviewEventName, ReviewTarget } from '../operations/inputs.ts';
import { reviewCommentPayload, reviewPayload } from '../payloads/pull-requests.ts';
import type { DiffSide, FakePullRequest, FakeReview } from '../state/github-state.ts';
import { isReviewVisible, listVisibleReviews } from '../state/lookup.ts';
import { requirePullRequest } from './pull-requests.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  type RepositoryRouteContext,
  readNumberParam,
  readTextField,
} from './router.ts';

const REVIEWS = '/pulls/{pull_number}/reviews';

const REVIEW = `${REVIEWS}/{review_id}`;

const READ = needsPermission('pull_requests', 'read');

const WRITE = needsPermission('pull_requests', 'write');

export const REVIEW_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${REVIEWS}`, READ, requirePullRequest(listReviews)),
  createRepositoryRoute(`POST ${REVIEWS}`, WRITE, requirePullRequest(createReview)),
  createRepositoryRoute(
    `GET ${REVIEW}`,
    READ,
    requireReview((context, pull, review) =>
      okResponse(context.state, toPayload(context, context.state, pull, review)),
    ),
  ),
  createRepositoryRoute(`PUT ${REVIEW}`, WRITE, requireReview(editReview)),
  createRepositoryRoute(`DELETE ${REVIEW}`, WRITE, requireReview(deleteReview)),
  createRepositoryRoute(`PUT ${REVIEW}/dismissals`, WRITE, requireReview(dismissReview)),
  createRepositoryRoute(`GET ${REVIEW}/comments`, READ, requireReview(listReviewComments)),
];

type ReviewHandler = (context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview) => ApiResponse;

function requireReview(handle: ReviewHandler): (context: RepositoryRouteContext) => ApiResponse {
  return requirePullRequest((context, pull) => {
    const review = pull.reviews.get(readNumberParam(context, 'review_id'));
    const isVisible = review !== undefined && isReviewVisible(review, context.actor.accountId);
    return isVisible ? handle(context, pull, review) : notFoundResponse(context.state);
  });
}

function toPayload(
  context: RepositoryRouteContext,
  state: ServerState,
  pull: FakePullRequest,
  review: FakeReview,
): unknown {
  return reviewPayload(state.github, context.repository, pull, review);
}

function listReviews(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const reviews = listVisibleReviews(pull, context.actor.accountId);
  return listResponse(
    context.state,
    reviews.map((review) => toPayload(context, context.state, pull, review)),
  );
}

function reviewTarget(context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview): ReviewTarget {
  return { actor: context.actor, repositoryId: context.repository.id, number: pull.number, reviewId: review.id };
}

const REVIEW_EVENTS: Readonly<Record<string, ReviewEventName>> = {
  APPROVE: 'APPROVE',
  REQUEST_CHANGES: 'REQUEST_CHANGES',
  COMMENT: 'COMMENT',
};

function createReview(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const event = readTextField(context, 'event');
  const known = event === undefined ? undefined : REVIEW_EVENTS[event];
  if (event !== undefined && known === undefined)
    return invalidFieldResponse(context.state, 'PullRequestReview', 'event', 'invalid');
  const body = readTextField(context, 'body');
  const commitSha = readTextField(context, 'commit_id');
  const comments = context.body['comments'];
  const input = {
    actor: context.actor,
    repositoryId: context.repository.id,
    number: pull.number,
    ...(body === undefined ? {} : { body }),
    ...(known === undefined ? {} : { event: known }),
    ...(commitSha === undefined ? {} : { commitSha }),
    ...(Array.isArray(comments) ? { comments: comments.map(readComment) } : {}),
  };
  const outcome = context.operations.createPullRequestReview(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 200, (after, review) => toPayload(context, after, pull, review));
}

function readComment(comment: unknown): CommentPositionInput & { readonly body: string } {
  const fields = isRecord(comment) ? comment : {};
  return { ...readCommentPosition(fields), body: String(fields['body'] ?? '') };
}

/** Reads the location of a review comment, with the field names of the REST API. */
export function readCommentPosition(fields: Readonly<Record<string, unknown>>): CommentPositionInput {
  const side = readSide(fields['side']);
  const startSide = readSide(fields['start_side']);
  const { line, start_line: startLine, position } = fields;
  return {
    path: String(fields['path'] ?? ''),
    ...(typeof line === 'number' ? { line } : {}),
    ...(side === undefined ? {} : { side }),
    ...(typeof startLine === 'number' ? { startLine } : {}),
    ...(startSide === undefined ? {} : { startSide }),
    ...(typeof position === 'number' ? { position } : {}),
  };
}

function readSide(value: unknown): DiffSide | undefined {
  return value === 'LEFT' || value === 'RIGHT' ? value : undefined;
}

function editReview(context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview): ApiResponse {
  const body = readTextField(context, 'body');
  if (body === undefined) return invalidFieldResponse(context.state, 'PullRequestReview', 'body', 'missing_field');
  const outcome = context.operations.editPullRequestReview(
    context.state.github,
    { ...reviewTarget(context, pull, review), body },
    context.now,
  );
  return operationResponse(context.state, outcome, 200, (after, edited) => toPayload(context, after, pull, edited));
}

function deleteReview(context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview): ApiResponse {
  const outcome = context.operations.deletePendingReview(
    context.state.github,
    reviewTarget(context, pull, review),
    context.now,
  );
  return operationResponse(context.state, outcome, 200, (after, deleted) => toPayload(context, after, pull, deleted));
}

function dismissReview(context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview): ApiResponse {
  const message = readTextField(context, 'message');
  if (message === undefined)
    return invalidFieldResponse(context.state, 'PullRequestReview', 'message', 'missing_field');
  const input = { ...reviewTarget(context, pull, review), message };
  const outcome = context.operations.dismissPullRequestReview(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 200, (after, dismissed) =>
    toPayload(context, after, pull, dismissed),
  );
}

function listReviewComments(context: RepositoryRouteContext, pull: FakePullRequest, review: FakeReview): ApiResponse {
  const comments = [...pull.reviewComments.values()].filter((comment) => comment.reviewId === review.id);
  return listResponse(
    context.state,
    comments.map((comment) => reviewCommentPayload(context.state.github, context.repository, pull, comment)),
  );
}
