import { needsConversationPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  invalidFieldResponse,
  listResponse,
  notFoundResponse,
  operationResponse,
} from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import { issueCommentPayload } from '../payloads/issues.ts';
import type { FakeIssue, FakeIssueComment } from '../state/github-state.ts';
import { findConversation, findConversationOfComment } from '../state/lookup.ts';
import { createCommentRoutes } from './comment-routes.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  filterUpdatedSince,
  type RepositoryRouteContext,
  readNumberParam,
  readTextField,
} from './router.ts';

const COMMENT_RESOURCE = 'IssueComment';

const LIST = '/issues/{issue_number}/comments';

const READ = needsConversationPermission('read');

const WRITE = needsConversationPermission('write');

export const ISSUE_COMMENT_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${LIST}`, READ, requireConversation(listComments)),
  createRepositoryRoute(`POST ${LIST}`, WRITE, requireConversation(createComment)),
  ...createCommentRoutes({
    name: COMMENT_RESOURCE,
    path: '/issues/comments/{comment_id}',
    read: READ,
    write: WRITE,
    find: ({ repository }, id) => findConversationOfComment(repository, id)?.comments.get(id),
    toPayload,
    operations: (all) => ({
      edit: all.editIssueComment,
      remove: all.deleteIssueComment,
      react: all.reactToIssueComment,
    }),
  }),
];

/** Wraps a handler of a route with `{issue_number}`, the number of an issue or a pull request. */
function requireConversation(
  handle: (context: RepositoryRouteContext, issue: FakeIssue) => ApiResponse,
): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const issue = findConversation(context.repository, readNumberParam(context, 'issue_number'));
    return issue === undefined ? notFoundResponse(context.state) : handle(context, issue);
  };
}

function toPayload(context: RepositoryRouteContext, state: ServerState, comment: FakeIssueComment): unknown {
  const repository = state.github.repositories.get(context.repository.id);
  const issue = repository === undefined ? undefined : findConversationOfComment(repository, comment.id);
  if (repository === undefined || issue === undefined) return undefined;
  return issueCommentPayload(state.github, repository, issue, comment);
}

function listComments(context: RepositoryRouteContext, issue: FakeIssue): ApiResponse {
  const comments = filterUpdatedSince(context, issue.comments.values());
  return listResponse(
    context.state,
    comments.map((comment) => toPayload(context, context.state, comment)),
  );
}

function createComment(context: RepositoryRouteContext, issue: FakeIssue): ApiResponse {
  const { state, now } = context;
  const body = readTextField(context, 'body');
  if (body === undefined) return invalidFieldResponse(state, COMMENT_RESOURCE, 'body', 'missing_field');
  const input = { actor: context.actor, repositoryId: context.repository.id, number: issue.number, body };
  const outcome = context.operations.createIssueComment(state.github, input, now);
  return operationResponse(state, outcome, 201, (after, comment) => toPayload(context, after, comment));
}
