import { needsPermission } from '../http/auth.ts';
import { type ApiResponse, errorResponse, listResponse, notFoundResponse, okResponse } from '../http/http-messages.ts';
import { commitPayload, filePayload } from '../payloads/commits.ts';
import { fullPullRequestPayload, simplePullRequestPayload } from '../payloads/pull-requests.ts';
import { listPullCommits, listPullFileDiffs } from '../state/commits.ts';
import type { FakePullRequest, GitHubState } from '../state/github-state.ts';
import { findAccountById } from '../state/lookup.ts';
import { type ApiRoute, createRepositoryRoute, type RepositoryRouteContext, readNumberParam } from './router.ts';

const PULL = '/pulls/{pull_number}';

const READ = needsPermission('pull_requests', 'read');

export const PULL_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute('GET /pulls', READ, listPulls),
  createRepositoryRoute(`GET ${PULL}`, READ, requirePullRequest(getPull)),
  createRepositoryRoute(`GET ${PULL}/files`, READ, requirePullRequest(listFilesOfPull)),
  createRepositoryRoute(`GET ${PULL}/commits`, READ, requirePullRequest(listCommitsOfPull)),
];

/** Wraps a handler of a route with `{pull_number}`; an unknown pull request is a 404. */
export function requirePullRequest(
  handle: (context: RepositoryRouteContext, pull: FakePullRequest) => ApiResponse,
): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const pull = context.repository.pulls.get(readNumberParam(context, 'pull_number'));
    return pull === undefined ? notFoundResponse(context.state) : handle(context, pull);
  };
}

/** GitHub’s parameters that the fake GitHub does not support. */
const UNSUPPORTED_FILTERS = ['base', 'sort', 'direction'];

/** Lists pull requests, newest first. As on GitHub, `head` is `owner:branch`, and ignored without an owner. */
function listPulls({ state, repository, query }: RepositoryRouteContext): ApiResponse {
  const unknown = UNSUPPORTED_FILTERS.filter((name) => name in query);
  if (unknown.length > 0) {
    const violation = `the fake GitHub cannot filter pull requests by ${unknown.join(', ')}`;
    return { ...errorResponse(state, 422, 'Validation Failed'), violation };
  }
  const { state: wanted = 'open', head } = query;
  const found = [...repository.pulls.values()].filter(
    (pull) =>
      (wanted === 'all' || pull.state === wanted) && (!head?.includes(':') || isFromBranch(state.github, pull, head)),
  );
  return listResponse(
    state,
    found.toReversed().map((pull) => simplePullRequestPayload(state.github, repository, pull)),
  );
}

/** Compares the owner ignoring case, and the branch exactly. */
function isFromBranch(github: GitHubState, { head }: FakePullRequest, label: string): boolean {
  const [login = ''] = label.split(':', 1);
  const owner = findAccountById(github, github.repositories.get(head.repositoryId)?.ownerId ?? null);
  return owner?.login.toLowerCase() === login.toLowerCase() && head.branch === label.slice(login.length + 1);
}

function getPull({ state, repository }: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  return okResponse(state, fullPullRequestPayload(state.github, repository, pull));
}

const MAX_PULL_FILES = 3_000;

function listFilesOfPull({ state, repository }: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const files = listPullFileDiffs(state.github.store, pull).slice(0, MAX_PULL_FILES);
  return listResponse(
    state,
    files.map((file) => filePayload(state.github, repository, pull.head.sha, file)),
  );
}

const MAX_PULL_COMMITS = 250;

function listCommitsOfPull({ state, repository }: RepositoryRouteContext, pull: FakePullRequest): ApiResponse {
  const shas = listPullCommits(state.github.store, pull).slice(0, MAX_PULL_COMMITS);
  return listResponse(
    state,
    shas.map((sha) => commitPayload(state.github, repository, sha)),
  );
}
