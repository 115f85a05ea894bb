import type { PermissionLevel } from '../world/access.ts';
import { conversationOfComment, fullName } from '../world/lookup.ts';
import type { Repository } from '../world/state.ts';
import { type Answer, notFound, refused } from './answer.ts';
import { type Call, numberParam, type RepositoryCall, textParam } from './call.ts';
import { findRenamed, findRepository } from './find.ts';
import { actorOf, reachOf } from './identity.ts';
import { holds, holdsConversation, type Need } from './permission-need.ts';
import type { Match, Route } from './route.ts';

const NOT_ALLOWED = 'Resource not accessible by integration';

/** Checks who is calling before the handler runs; a breach of the App's own limits is a violation as well. */
export function callRoute(route: Route, call: Call): Answer {
  if (route.scope === 'repository') return callRepositoryRoute(route, call);
  if (route.caller === 'app' && call.identity.kind !== 'app') {
    return breach(
      refused(call.state, 401, 'A JSON web token could not be decoded'),
      `${route.name} without the App's key`,
    );
  }
  if (route.caller === 'anyone' && call.identity.kind === 'app') {
    return breach(refused(call.state, 403, NOT_ALLOWED), `${route.name} with the App's key instead of a token`);
  }
  return route.handle(call);
}

function callRepositoryRoute(route: Extract<Match['route'], { scope: 'repository' }>, call: Call): Answer {
  const { identity, state } = call;
  const actor = actorOf(identity);
  if (identity.kind !== 'installation' || actor === undefined) {
    return breach(refused(state, 401, 'Requires authentication'), `${route.name} without an installation token`);
  }
  const repository = findRepository(state.world, textParam(call, 'owner'), textParam(call, 'repo'));
  if (repository === undefined) return moved(route, call) ?? notFound(state);
  const reach = reachOf(state, identity.token, repository);
  if (reach === 'outside')
    return breach(notFound(state), `${route.name} on ${repository.name}, which the token leaves out`);
  if (reach === 'removed') return notFound(state);
  const repositoryCall = { ...call, repository, actor };
  if (!isAllowed(route.need, repositoryCall, identity.token.permissions)) return forbidden(route, call);
  return route.handle(repositoryCall);
}

/** GitHub leads to the name of now: 301 for what only reads, 307 for what has to be sent again as it was. */
function moved(route: Route, call: Call): Answer | undefined {
  const { state, request } = call;
  const [owner, name] = [textParam(call, 'owner'), textParam(call, 'repo')];
  const repository = findRenamed(state.world, owner, name);
  if (repository === undefined) return undefined;
  const former = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const target = request.target.replace(former, `/repos/${fullName(state.world, repository)}`);
  const location = `${new URL(state.world.site.api).origin}${target}`;
  const status = route.name.startsWith('GET ') ? 301 : 307;
  return { status, body: { kind: 'none' }, headers: { location }, state, events: [] };
}

function isAllowed(need: Need, call: RepositoryCall, permissions: Readonly<Record<string, PermissionLevel>>): boolean {
  switch (need.kind) {
    case 'permission':
      return holds(permissions, need.name, need.level);
    case 'conversation':
      return isNowhere(call) || holdsConversation(permissions, isOnPull(call.repository, call), need.level);
  }
}

/** A comment that is gone is nobody's: the handler answers that there is none. */
function isNowhere(call: RepositoryCall): boolean {
  if (!('comment_id' in call.params)) return false;
  return conversationOfComment(call.repository, numberParam(call, 'comment_id')) === undefined;
}

function isOnPull(repository: Repository, call: Call): boolean {
  if ('issue_number' in call.params) return repository.pulls.has(numberParam(call, 'issue_number'));
  const conversation = conversationOfComment(repository, numberParam(call, 'comment_id'));
  return conversation !== undefined && 'head' in conversation;
}

function forbidden(route: Extract<Route, { scope: 'repository' }>, call: Call): Answer {
  const wanted = needText(route.need);
  const answer = refused(call.state, 403, NOT_ALLOWED);
  return breach({ ...answer, headers: { 'x-accepted-github-permissions': wanted } }, `${route.name} needs ${wanted}`);
}

function needText(need: Need): string {
  const { level } = need;
  return need.kind === 'permission' ? `${need.name}=${level}` : `issues=${level}; pull_requests=${level}`;
}

function breach(answer: Answer, violation: string): Answer {
  return { ...answer, violation };
}
