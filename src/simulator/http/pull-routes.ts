import { commitPayload } from '../payloads/commit-payload.ts';
import { filePayload } from '../payloads/file-payload.ts';
import { fullPull } from '../payloads/pull-payload.ts';
import { pullCommits, pullFiles } from '../world/pull-diff.ts';
import type { PullRequest } from '../world/state.ts';
import { type Answer, listed, notFound, shown } from './answer.ts';
import { numberParam, type RepositoryCall } from './call.ts';
import { needs } from './permission-need.ts';
import { type Route, repositoryRoute } from './route.ts';

const PULL = '/pulls/{pull_number}';
const READ = needs('pull_requests', 'read');

/** The pull request itself and what it changes. */
export const PULL_ROUTES: readonly Route[] = [
  repositoryRoute(`GET ${PULL}`, READ, withPull(showPull)),
  repositoryRoute(`GET ${PULL}/files`, READ, withPull(listFiles)),
  repositoryRoute(`GET ${PULL}/commits`, READ, withPull(listCommits)),
];

/** A handler of a route with `{pull_number}`: 404 when there is no such pull request. */
export function withPull(
  handle: (call: RepositoryCall, pull: PullRequest) => Answer,
): (call: RepositoryCall) => Answer {
  return (call) => {
    const pull = call.repository.pulls.get(numberParam(call, 'pull_number'));
    return pull === undefined ? notFound(call.state) : handle(call, pull);
  };
}

function showPull({ state, repository }: RepositoryCall, pull: PullRequest): Answer {
  return shown(state, fullPull(state.world, repository, pull));
}

const MOST_FILES = 3_000;

function listFiles({ state, repository }: RepositoryCall, pull: PullRequest): Answer {
  const files = pullFiles(state.world.store, pull).slice(0, MOST_FILES);
  return listed(
    state,
    files.map((file) => filePayload(state.world, repository, pull.head.sha, file)),
  );
}

const MOST_COMMITS = 250;

function listCommits({ state, repository }: RepositoryCall, pull: PullRequest): Answer {
  const shas = pullCommits(state.world.store, pull).slice(0, MOST_COMMITS);
  return listed(
    state,
    shas.map((sha) => commitPayload(state.world, repository, sha)),
  );
}
