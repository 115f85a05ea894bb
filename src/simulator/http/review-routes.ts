import { isRecord } from '../../trust.ts';
import { reviewCommentPayload, reviewPayload } from '../payloads/review-payload.ts';
import type { PlaceInput, ReviewEvent } from '../world/inputs.ts';
import type { PullRequest } from '../world/state.ts';
import type { Review, Side } from '../world/talk.ts';
import { type Answer, invalidField, listed, notFound, shown, written } from './answer.ts';
import { numberParam, type RepositoryCall, textField } from './call.ts';
import { isVisible, visibleReviews } from './find.ts';
import type { GitHubState } from './github-state.ts';
import { needs } from './permission-need.ts';
import { withPull } from './pull-routes.ts';
import { type Route, repositoryRoute } from './route.ts';

const REVIEWS = '/pulls/{pull_number}/reviews';
const REVIEW = `${REVIEWS}/{review_id}`;
const READ = needs('pull_requests', 'read');
const WRITE = needs('pull_requests', 'write');

/** Reviews. */
export const REVIEW_ROUTES: readonly Route[] = [
  repositoryRoute(`GET ${REVIEWS}`, READ, withPull(listReviews)),
  repositoryRoute(`POST ${REVIEWS}`, WRITE, withPull(createReview)),
  repositoryRoute(
    `GET ${REVIEW}`,
    READ,
    withReview((call, pull, review) => shown(call.state, show(call, call.state, pull, review))),
  ),
  repositoryRoute(`PUT ${REVIEW}`, WRITE, withReview(editReview)),
  repositoryRoute(`DELETE ${REVIEW}`, WRITE, withReview(deleteReview)),
  repositoryRoute(`PUT ${REVIEW}/dismissals`, WRITE, withReview(dismissReview)),
  repositoryRoute(`GET ${REVIEW}/comments`, READ, withReview(listReviewComments)),
];

type ReviewHandler = (call: RepositoryCall, pull: PullRequest, review: Review) => Answer;

function withReview(handle: ReviewHandler): (call: RepositoryCall) => Answer {
  return withPull((call, pull) => {
    const review = pull.reviews.get(numberParam(call, 'review_id'));
    const seen = review !== undefined && isVisible(review, call.actor.accountId);
    return seen ? handle(call, pull, review) : notFound(call.state);
  });
}

function show(call: RepositoryCall, state: GitHubState, pull: PullRequest, review: Review): unknown {
  return reviewPayload(state.world, call.repository, pull, review);
}

function listReviews(call: RepositoryCall, pull: PullRequest): Answer {
  const reviews = visibleReviews(pull, call.actor.accountId);
  return listed(
    call.state,
    reviews.map((review) => show(call, call.state, pull, review)),
  );
}

function onReview(call: RepositoryCall, pull: PullRequest, review: Review) {
  return { actor: call.actor, repositoryId: call.repository.id, number: pull.number, reviewId: review.id };
}

const EVENTS: Readonly<Record<string, ReviewEvent>> = {
  APPROVE: 'APPROVE',
  REQUEST_CHANGES: 'REQUEST_CHANGES',
  COMMENT: 'COMMENT',
};

function createReview(call: RepositoryCall, pull: PullRequest): Answer {
  const event = textField(call, 'event');
  const known = event === undefined ? undefined : EVENTS[event];
  if (event !== undefined && known === undefined)
    return invalidField(call.state, 'PullRequestReview', 'event', 'invalid');
  const body = textField(call, 'body');
  const commitSha = textField(call, 'commit_id');
  const comments = call.body['comments'];
  const input = {
    actor: call.actor,
    repositoryId: call.repository.id,
    number: pull.number,
    ...(body === undefined ? {} : { body }),
    ...(known === undefined ? {} : { event: known }),
    ...(commitSha === undefined ? {} : { commitSha }),
    ...(Array.isArray(comments) ? { comments: comments.map(readComment) } : {}),
  };
  const outcome = call.operations.createReview(call.state.world, input, call.now);
  return written(call.state, outcome, 200, (after, review) => show(call, after, pull, review));
}

function readComment(comment: unknown): PlaceInput & { readonly body: string } {
  const fields = isRecord(comment) ? comment : {};
  return { ...readPlace(fields), body: String(fields['body'] ?? '') };
}

/** The place fields of a review comment as the REST API names them. */
export function readPlace(fields: Readonly<Record<string, unknown>>): PlaceInput {
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

function readSide(value: unknown): Side | undefined {
  return value === 'LEFT' || value === 'RIGHT' ? value : undefined;
}

function editReview(call: RepositoryCall, pull: PullRequest, review: Review): Answer {
  const body = textField(call, 'body');
  if (body === undefined) return invalidField(call.state, 'PullRequestReview', 'body', 'missing_field');
  const outcome = call.operations.editReview(call.state.world, { ...onReview(call, pull, review), body }, call.now);
  return written(call.state, outcome, 200, (after, edited) => show(call, after, pull, edited));
}

function deleteReview(call: RepositoryCall, pull: PullRequest, review: Review): Answer {
  const outcome = call.operations.deletePendingReview(call.state.world, onReview(call, pull, review), call.now);
  return written(call.state, outcome, 200, (after, deleted) => show(call, after, pull, deleted));
}

function dismissReview(call: RepositoryCall, pull: PullRequest, review: Review): Answer {
  const message = textField(call, 'message');
  if (message === undefined) return invalidField(call.state, 'PullRequestReview', 'message', 'missing_field');
  const input = { ...onReview(call, pull, review), message };
  const outcome = call.operations.dismissReview(call.state.world, input, call.now);
  return written(call.state, outcome, 200, (after, dismissed) => show(call, after, pull, dismissed));
}

function listReviewComments(call: RepositoryCall, pull: PullRequest, review: Review): Answer {
  const comments = [...pull.reviewComments.values()].filter((comment) => comment.reviewId === review.id);
  return listed(
    call.state,
    comments.map((comment) => reviewCommentPayload(call.state.world, call.repository, pull, comment)),
  );
}
