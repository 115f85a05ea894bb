import {
  actorOfIdentity,
  hasConversationPermission,
  hasPermission,
  type RequiredPermission,
  repositoryAccessOf,
} from '../http/auth.ts';
import { type ApiResponse, errorResponse, notFoundResponse } from '../http/http-messages.ts';
import type { AppPermissionLevel, FakeRepository } from '../state/github-state.ts';
import {
  findConversationOfComment,
  findRepositoryByName,
  findRepositoryByPreviousName,
  fullNameOf,
  isPullRequest,
} from '../state/lookup.ts';
import { APP_ROUTES, HOOK_ROUTES } from './app.ts';
import { CHECK_ROUTES } from './checks.ts';
import { GIT_ROUTES } from './git-data.ts';
import { ISSUE_COMMENT_ROUTES } from './issue-comments.ts';
import { LABEL_ROUTES } from './labels.ts';
import { PULL_ROUTES } from './pull-requests.ts';
import { REPOSITORY_ROUTES } from './repository.ts';
import { REVIEW_COMMENT_ROUTES } from './review-comments.ts';
import { REVIEW_ROUTES } from './reviews.ts';
import {
  type ApiRoute,
  compileRoutes,
  type RepositoryRouteContext,
  type RouteContext,
  type RouteMatch,
  type RouteTable,
  readNumberParam,
  readTextParam,
} from './router.ts';

/** Every REST operation of the fake GitHub. A request for any other route is a violation. */
export const ROUTES: RouteTable = compileRoutes([
  ...APP_ROUTES,
  ...HOOK_ROUTES,
  ...REPOSITORY_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...REVIEW_COMMENT_ROUTES,
  ...ISSUE_COMMENT_ROUTES,
  ...GIT_ROUTES,
  ...CHECK_ROUTES,
  ...LABEL_ROUTES,
]);

const NOT_ACCESSIBLE_MESSAGE = 'Resource not accessible by integration';

/** Checks the caller, then runs the handler. A call without the required permission is a violation. */
export function dispatchRoute(route: ApiRoute, context: RouteContext): ApiResponse {
  if (route.scope === 'repository') return dispatchRepositoryRoute(route, context);
  if (route.caller === 'app' && context.identity.kind !== 'app') {
    return withViolation(
      errorResponse(context.state, 401, 'A JSON web token could not be decoded'),
      `${route.name} without the App's key`,
    );
  }
  if (route.caller === 'anyone' && context.identity.kind === 'app') {
    return withViolation(
      errorResponse(context.state, 403, NOT_ACCESSIBLE_MESSAGE),
      `${route.name} with the App's key instead of a token`,
    );
  }
  return route.handle(context);
}

function dispatchRepositoryRoute(
  route: Extract<RouteMatch['route'], { scope: 'repository' }>,
  context: RouteContext,
): ApiResponse {
  const { identity, state } = context;
  const actor = actorOfIdentity(identity);
  if (identity.kind !== 'installation' || actor === undefined) {
    return withViolation(
      errorResponse(state, 401, 'Requires authentication'),
      `${route.name} without an installation token`,
    );
  }
  const repository = findRepositoryByName(
    state.github,
    readTextParam(context, 'owner'),
    readTextParam(context, 'repo'),
  );
  if (repository === undefined) return redirectRenamed(route, context) ?? notFoundResponse(state);
  const access = repositoryAccessOf(state, identity.token, repository);
  if (access === 'not-in-token')
    return withViolation(notFoundResponse(state), `${route.name} on ${repository.name}, which the token leaves out`);
  if (access === 'not-installed') return notFoundResponse(state);
  const repositoryCall = { ...context, repository, actor };
  if (!isAllowed(route.requiredPermission, repositoryCall, identity.token.permissions))
    return forbiddenResponse(route, context);
  return route.handle(repositoryCall);
}

/** GitHub redirects a former name to the current name, with 301 for reads and 307 for writes. */
function redirectRenamed(route: ApiRoute, context: RouteContext): ApiResponse | undefined {
  const { state, request } = context;
  const [owner, name] = [readTextParam(context, 'owner'), readTextParam(context, 'repo')];
  const repository = findRepositoryByPreviousName(state.github, owner, name);
  if (repository === undefined) return undefined;
  const former = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const target = request.target.replace(former, `/repos/${fullNameOf(state.github, repository)}`);
  const location = `${new URL(state.github.host.apiUrl).origin}${target}`;
  const status = route.name.startsWith('GET ') ? 301 : 307;
  return { status, body: { kind: 'none' }, headers: { location }, state, events: [] };
}

function isAllowed(
  required: RequiredPermission,
  context: RepositoryRouteContext,
  permissions: Readonly<Record<string, AppPermissionLevel>>,
): boolean {
  switch (required.kind) {
    case 'permission':
      return hasPermission(permissions, required.name, required.level);
    case 'conversation':
      return (
        isUnknownComment(context) ||
        hasConversationPermission(permissions, isOnPullRequest(context.repository, context), required.level)
      );
  }
}

/** Whether the comment does not exist. The handler then answers 404, with any permissions. */
function isUnknownComment(context: RepositoryRouteContext): boolean {
  if (!('comment_id' in context.params)) return false;
  return findConversationOfComment(context.repository, readNumberParam(context, 'comment_id')) === undefined;
}

function isOnPullRequest(repository: FakeRepository, context: RouteContext): boolean {
  if ('issue_number' in context.params) return repository.pulls.has(readNumberParam(context, 'issue_number'));
  const conversation = findConversationOfComment(repository, readNumberParam(context, 'comment_id'));
  return conversation !== undefined && isPullRequest(conversation);
}

function forbiddenResponse(route: Extract<ApiRoute, { scope: 'repository' }>, context: RouteContext): ApiResponse {
  const wanted = formatPermission(route.requiredPermission);
  const answer = errorResponse(context.state, 403, NOT_ACCESSIBLE_MESSAGE);
  return withViolation(
    { ...answer, headers: { 'x-accepted-github-permissions': wanted } },
    `${route.name} needs ${wanted}`,
  );
}

function formatPermission(required: RequiredPermission): string {
  const { level } = required;
  return required.kind === 'permission' ? `${required.name}=${level}` : `issues=${level}; pull_requests=${level}`;
}

function withViolation(answer: ApiResponse, violation: string): ApiResponse {
  return { ...answer, violation };
}
