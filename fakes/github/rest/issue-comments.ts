import { needsConversationPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  invalidFieldResponse,
  listResponse,
  notFoundResponse,
  okResponse,
  operationResponse,
} from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import { issueCommentPayload, reactionPayload } from '../payloads/issues.ts';
import type { FakeIssue, FakeIssueComment } from '../state/github-state.ts';
import { findConversation, findConversationOfComment } from '../state/lookup.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  filterUpdatedSince,
  parseReactionContent,
  type RepositoryRouteContext,
  readNumberParam,
  readTextField,
} from './router.ts';

const LIST = '/issues/{issue_number}/comments';

const ONE = '/issues/comments/{comment_id}';

const READ = needsConversationPermission('read');

const WRITE = needsConversationPermission('write');

export const ISSUE_COMMENT_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${LIST}`, READ, listComments),
  createRepositoryRoute(`POST ${LIST}`, WRITE, createComment),
  createRepositoryRoute(
    `GET ${ONE}`,
    READ,
    requireComment((context, comment, issue) =>
      okResponse(context.state, toPayload(context, context.state, issue, comment)),
    ),
  ),
  createRepositoryRoute(`PATCH ${ONE}`, WRITE, requireComment(editComment)),
  createRepositoryRoute(`DELETE ${ONE}`, WRITE, requireComment(deleteComment)),
  createRepositoryRoute(`GET ${ONE}/reactions`, READ, requireComment(listReactions)),
  createRepositoryRoute(`POST ${ONE}/reactions`, WRITE, requireComment(react)),
];

type CommentHandler = (context: RepositoryRouteContext, comment: FakeIssueComment, issue: FakeIssue) => ApiResponse;

function requireComment(handle: CommentHandler): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const id = readNumberParam(context, 'comment_id');
    const issue = findConversationOfComment(context.repository, id);
    const comment = issue?.comments.get(id);
    return issue === undefined || comment === undefined
      ? notFoundResponse(context.state)
      : handle(context, comment, issue);
  };
}

function toPayload(
  context: RepositoryRouteContext,
  state: ServerState,
  issue: FakeIssue,
  comment: FakeIssueComment,
): unknown {
  return issueCommentPayload(state.github, context.repository, issue, comment);
}

function listComments(context: RepositoryRouteContext): ApiResponse {
  const issue = findConversation(context.repository, readNumberParam(context, 'issue_number'));
  if (issue === undefined) return notFoundResponse(context.state);
  return listResponse(
    context.state,
    filterUpdatedSince(context, issue.comments.values()).map((comment) =>
      toPayload(context, context.state, issue, comment),
    ),
  );
}

function createComment(context: RepositoryRouteContext): ApiResponse {
  const issue = findConversation(context.repository, readNumberParam(context, 'issue_number'));
  const body = readTextField(context, 'body');
  if (issue === undefined) return notFoundResponse(context.state);
  if (body === undefined) return invalidFieldResponse(context.state, 'IssueComment', 'body', 'missing_field');
  const input = { actor: context.actor, repositoryId: context.repository.id, number: issue.number, body };
  const outcome = context.operations.createIssueComment(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 201, (after, comment) => toPayload(context, after, issue, comment));
}

function commentTarget(context: RepositoryRouteContext, comment: FakeIssueComment) {
  return { actor: context.actor, repositoryId: context.repository.id, commentId: comment.id };
}

function editComment(context: RepositoryRouteContext, comment: FakeIssueComment, issue: FakeIssue): ApiResponse {
  const body = readTextField(context, 'body');
  if (body === undefined) return invalidFieldResponse(context.state, 'IssueComment', 'body', 'missing_field');
  const outcome = context.operations.editIssueComment(
    context.state.github,
    { ...commentTarget(context, comment), body },
    context.now,
  );
  return operationResponse(context.state, outcome, 200, (after, edited) => toPayload(context, after, issue, edited));
}

function deleteComment(context: RepositoryRouteContext, comment: FakeIssueComment): ApiResponse {
  const outcome = context.operations.deleteIssueComment(
    context.state.github,
    commentTarget(context, comment),
    context.now,
  );
  return operationResponse(context.state, outcome, 204, () => undefined);
}

function listReactions(context: RepositoryRouteContext, comment: FakeIssueComment): ApiResponse {
  return listResponse(
    context.state,
    comment.reactions.map((reaction) => reactionPayload(context.state.github, reaction)),
  );
}

function react(context: RepositoryRouteContext, comment: FakeIssueComment): ApiResponse {
  const content = parseReactionContent(context.body['content']);
  if (content === undefined) return invalidFieldResponse(context.state, 'Reaction', 'content', 'invalid');
  const input = { ...commentTarget(context, comment), content };
  const outcome = context.operations.reactToIssueComment(context.state.github, input, context.now);
  const status = comment.reactions.some((known) => outcome.ok && known.id === outcome.value.id) ? 200 : 201;
  return operationResponse(context.state, outcome, status, (after, reaction) =>
    reactionPayload(after.github, reaction),
  );
}
