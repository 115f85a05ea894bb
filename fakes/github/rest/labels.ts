import { hasPermission, needsConversationPermission } from '../http/auth.ts';
import { type ApiResponse, listResponse, notFoundResponse, operationResponse } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import { labelsPayload } from '../payloads/labels.ts';
import type { FakePullRequest } from '../state/github-state.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  type RepositoryRouteContext,
  readNumberParam,
  readTextParam,
} from './router.ts';

const LIST = '/issues/{issue_number}/labels';

export const LABEL_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute(`GET ${LIST}`, needsConversationPermission('read'), onPull(listLabels)),
  createRepositoryRoute(`POST ${LIST}`, needsConversationPermission('write'), onPull(addToPull)),
  createRepositoryRoute(`DELETE ${LIST}/{name}`, needsConversationPermission('write'), onPull(removeFromPull)),
];

/** Only pull requests have labels here. */
function onPull(
  handle: (context: RepositoryRouteContext, pull: FakePullRequest) => ApiResponse,
): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const pull = context.repository.pulls.get(readNumberParam(context, 'issue_number'));
    return pull === undefined ? notFoundResponse(context.state) : handle(context, pull);
  };
}

function listLabels(context: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  return listResponse(context.state, labelsPayload(context.state.github, context.repository, pull));
}

function addToPull(context: RepositoryRouteContext, { number }: FakePullRequest): ApiResponse {
  const { body, identity, operations, repository, actor, now } = context;
  const [name] = Array.isArray(body['labels']) ? body['labels'].map(String) : [];
  if (name === undefined) return notFoundResponse(context.state);
  const canCreate = identity.kind === 'installation' && hasPermission(identity.token.permissions, 'issues', 'write');
  const input = { actor, repositoryId: repository.id, number, name, canCreate };
  const outcome = operations.addLabel(context.state.github, input, now);
  return operationResponse(context.state, outcome, 200, toPayload(context));
}

function removeFromPull(context: RepositoryRouteContext, { number }: FakePullRequest): ApiResponse {
  const { operations, repository, actor, now } = context;
  const input = { actor, repositoryId: repository.id, number, name: readTextParam(context, 'name') };
  const outcome = operations.removeLabel(context.state.github, input, now);
  return operationResponse(context.state, outcome, 200, toPayload(context));
}

function toPayload({ repository }: RepositoryRouteContext) {
  return (state: ServerState, pull: FakePullRequest): unknown =>
    labelsPayload(state.github, state.github.repositories.get(repository.id) ?? repository, pull);
}
