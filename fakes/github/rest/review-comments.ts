import { needsPermission } from '../http/auth.ts';
import { type ApiResponse, invalidFieldResponse, listResponse, operationResponse } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import { reviewCommentPayload } from '../payloads/pull-requests.ts';
import type { FakePullRequest, FakeReviewComment } from '../state/github-state.ts';
import { findPullOfReviewComment, isReviewVisible, listPublishedComments } from '../state/lookup.ts';
import { createCommentRoutes } from './comment-routes.ts';
import { requirePullRequest } from './pull-requests.ts';
import { readCommentPosition } from './reviews.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  filterUpdatedSince,
  type RepositoryRouteContext,
  readNumberField,
  readTextField,
} from './router.ts';

const COMMENT_RESOURCE = 'PullRequestReviewComment';

const LIST = '/pulls/{pull_number}/comments';

const READ = needsPermission('pull_requests', 'read');

const WRITE = needsPermission('pull_requests', 'write');

export const REVIEW_COMMENT_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${LIST}`, READ, requirePullRequest(listComments)),
  createRepositoryRoute(`POST ${LIST}`, WRITE, requirePullRequest(createComment)),
  ...createCommentRoutes({
    name: COMMENT_RESOURCE,
    path: '/pulls/comments/{comment_id}',
    read: READ,
    write: WRITE,
    find: findVisibleComment,
    toPayload,
    operations: (all) => ({
      edit: all.editReviewComment,
      remove: all.deleteReviewComment,
      react: all.reactToReviewComment,
    }),
  }),
];

function findVisibleComment({ repository, actor }: RepositoryRouteContext, id: number): FakeReviewComment | undefined {
  const pull = findPullOfReviewComment(repository, id);
  const comment = pull?.reviewComments.get(id);
  const review = comment === undefined ? undefined : pull?.reviews.get(comment.reviewId);
  return isReviewVisible(review, actor.accountId) ? comment : undefined;
}

function toPayload(context: RepositoryRouteContext, state: ServerState, comment: FakeReviewComment): unknown {
  const repository = state.github.repositories.get(context.repository.id);
  const pull = repository === undefined ? undefined : findPullOfReviewComment(repository, comment.id);
  if (repository === undefined || pull === undefined) return undefined;
  return reviewCommentPayload(state.github, repository, pull, comment);
}

function listComments(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const oldestFirst = filterUpdatedSince(context, listPublishedComments(pull));
  const comments = context.query['direction'] === 'desc' ? oldestFirst.toReversed() : oldestFirst;
  return listResponse(
    context.state,
    comments.map((comment) => toPayload(context, context.state, comment)),
  );
}

function createComment(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const { operations, state, now } = context;
  const body = readTextField(context, 'body');
  if (body === undefined) return invalidFieldResponse(state, COMMENT_RESOURCE, 'body', 'missing_field');
  const onPull = { actor: context.actor, repositoryId: context.repository.id, number: pull.number, body };
  const inReplyTo = readNumberField(context, 'in_reply_to');
  if (inReplyTo !== undefined) {
    const reply = operations.replyToReviewComment(state.github, { ...onPull, inReplyTo }, now);
    return operationResponse(state, reply, 201, (after, comment) => toPayload(context, after, comment));
  }
  const commitSha = readTextField(context, 'commit_id');
  if (commitSha === undefined) return invalidFieldResponse(state, COMMENT_RESOURCE, 'commit_id', 'missing_field');
  const subjectType = context.body['subject_type'] === 'file' ? 'file' : 'line';
  const input = { ...onPull, ...readCommentPosition(context.body), commitSha, subjectType } as const;
  const outcome = operations.createReviewComment(state.github, input, now);
  return operationResponse(state, outcome, 201, (after, comment) => toPayload(context, after, comment));
}
