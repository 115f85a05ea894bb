import { needsPermission } from '../http/auth.ts';
import { type ApiResponse, listResponse, notFoundResponse, okResponse } from '../http/http-messages.ts';
import { commitPayload, filePayload } from '../payloads/commits.ts';
import { fullPullRequestPayload } from '../payloads/pull-requests.ts';
import { listPullCommits, listPullFileDiffs } from '../state/commits.ts';
import type { FakePullRequest } from '../state/github-state.ts';
import { type ApiRoute, createRepositoryRoute, type RepositoryRouteContext, readNumberParam } from './router.ts';

const PULL = '/pulls/{pull_number}';

const READ = needsPermission('pull_requests', 'read');

export const PULL_ROUTES: readonly ApiRoute[] = [
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
