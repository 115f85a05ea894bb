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
import { reactionPayload } from '../payloads/issues.ts';
import { reviewCommentPayload } from '../payloads/pull-requests.ts';
import type { FakePullRequest, FakeReviewComment } from '../state/github-state.ts';
import { findPullOfReviewComment, isReviewVisible, listPublishedComments } from '../state/lookup.ts';
import { requirePullRequest } from './pull-requests.ts';
import { readCommentPosition } from './reviews.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  filterUpdatedSince,
  parseReactionContent,
  type RepositoryRouteContext,
  readNumberField,
  readNumberParam,
  readTextField,
} from './router.ts';

const LIST = '/pulls/{pull_number}/comments';

const ONE = '/pulls/comments/{comment_id}';

const READ = needsPermission('pull_requests', 'read');

const WRITE = needsPermission('pull_requests', 'write');

export const REVIEW_COMMENT_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${LIST}`, READ, requirePullRequest(listComments)),
  createRepositoryRoute(`POST ${LIST}`, WRITE, requirePullRequest(createComment)),
  createRepositoryRoute(
    `GET ${ONE}`,
    READ,
    requireComment((context, pull, comment) =>
      okResponse(context.state, toPayload(context, context.state, pull, comment)),
    ),
  ),
  createRepositoryRoute(`PATCH ${ONE}`, WRITE, requireComment(editComment)),
  createRepositoryRoute(`DELETE ${ONE}`, WRITE, requireComment(deleteComment)),
  createRepositoryRoute(`GET ${ONE}/reactions`, READ, requireComment(listReactions)),
  createRepositoryRoute(`POST ${ONE}/reactions`, WRITE, requireComment(react)),
];

type CommentHandler = (
  context: RepositoryRouteContext,
  pull: FakePullRequest,
  comment: FakeReviewComment,
) => ApiResponse;

function requireComment(handle: CommentHandler): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const id = readNumberParam(context, 'comment_id');
    const pull = findPullOfReviewComment(context.repository, id);
    const comment = pull?.reviewComments.get(id);
    if (pull === undefined || comment === undefined) return notFoundResponse(context.state);
    const seen = isReviewVisible(pull.reviews.get(comment.reviewId), context.actor.accountId);
    return seen ? handle(context, pull, comment) : notFoundResponse(context.state);
  };
}

/** Reads the comment from the state after the write, because its thread can be new. */
function toPayload(
  context: RepositoryRouteContext,
  state: ServerState,
  pull: FakePullRequest,
  comment: FakeReviewComment,
): unknown {
  const repository = state.github.repositories.get(context.repository.id) ?? context.repository;
  return reviewCommentPayload(state.github, repository, repository.pulls.get(pull.number) ?? pull, comment);
}

function listComments(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  return listResponse(
    context.state,
    filterUpdatedSince(context, listPublishedComments(pull)).map((comment) =>
      toPayload(context, context.state, pull, comment),
    ),
  );
}

function createComment(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const body = readTextField(context, 'body');
  if (body === undefined)
    return invalidFieldResponse(context.state, 'PullRequestReviewComment', 'body', 'missing_field');
  const onPull = { actor: context.actor, repositoryId: context.repository.id, number: pull.number, body };
  const inReplyTo = readNumberField(context, 'in_reply_to');
  const { operations, state, now } = context;
  if (inReplyTo !== undefined) {
    const reply = operations.replyToReviewComment(state.github, { ...onPull, inReplyTo }, now);
    return operationResponse(state, reply, 201, (after, comment) => toPayload(context, after, pull, comment));
  }
  const commitSha = readTextField(context, 'commit_id');
  if (commitSha === undefined)
    return invalidFieldResponse(state, 'PullRequestReviewComment', 'commit_id', 'missing_field');
  const subjectType = context.body['subject_type'] === 'file' ? 'file' : 'line';
  const input = { ...onPull, ...readCommentPosition(context.body), commitSha, subjectType } as const;
  const outcome = operations.createReviewComment(state.github, input, now);
  return operationResponse(state, outcome, 201, (after, comment) => toPayload(context, after, pull, comment));
}

function commentTarget(context: RepositoryRouteContext, comment: FakeReviewComment) {
  return { actor: context.actor, repositoryId: context.repository.id, commentId: comment.id };
}

function editComment(context: RepositoryRouteContext, pull: FakePullRequest, comment: FakeReviewComment): ApiResponse {
  const body = readTextField(context, 'body');
  if (body === undefined)
    return invalidFieldResponse(context.state, 'PullRequestReviewComment', 'body', 'missing_field');
  const outcome = context.operations.editReviewComment(
    context.state.github,
    { ...commentTarget(context, comment), body },
    context.now,
  );
  return operationResponse(context.state, outcome, 200, (after, edited) => toPayload(context, after, pull, edited));
}

function deleteComment(
  context: RepositoryRouteContext,
  _pull: FakePullRequest,
  comment: FakeReviewComment,
): ApiResponse {
  const outcome = context.operations.deleteReviewComment(
    context.state.github,
    commentTarget(context, comment),
    context.now,
  );
  return operationResponse(context.state, outcome, 204, () => undefined);
}

function listReactions(
  context: RepositoryRouteContext,
  _pull: FakePullRequest,
  comment: FakeReviewComment,
): ApiResponse {
  return listResponse(
    context.state,
    comment.reactions.map((reaction) => reactionPayload(context.state.github, reaction)),
  );
}

function react(context: RepositoryRouteContext, _pull: FakePullRequest, comment: FakeReviewComment): ApiResponse {
  const content = parseReactionContent(context.body['content']);
  if (content === undefined) return invalidFieldResponse(context.state, 'Reaction', 'content', 'invalid');
  const input = { ...commentTarget(context, comment), content };
  const outcome = context.operations.reactToReviewComment(context.state.github, input, context.now);
  const status = comment.reactions.some((known) => outcome.ok && known.id === outcome.value.id) ? 200 : 201;
  return operationResponse(context.state, outcome, status, (after, reaction) =>
    reactionPayload(after.github, reaction),
  );
}
