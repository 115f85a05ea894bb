import { commitPayload } from '../payloads/commit-payload.ts';
import { filePayload } from '../payloads/file-payload.ts';
import { fullPull, smallPull } from '../payloads/pull-payload.ts';
import { accountOf } from '../world/lookup.ts';
import { pullCommits, pullFiles } from '../world/pull-diff.ts';
import type { PullRequest, World } from '../world/state.ts';
import { type Answer, listed, notFound, refused, shown } from './answer.ts';
import { numberParam, type RepositoryCall } from './call.ts';
import { needs } from './permission-need.ts';
import { type Route, repositoryRoute } from './route.ts';

const PULL = '/pulls/{pull_number}';
const READ = needs('pull_requests', 'read');

/** The pull request itself and what it changes. */
export const PULL_ROUTES: readonly Route[] = [
  repositoryRoute('GET /pulls', READ, listPulls),
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

/** What GitHub would obey and this list does not know. */
const UNKNOWN_FILTERS = ['base', 'sort', 'direction'];

/** Newest first. `head` is `owner:branch`; one without an owner filters nothing, as on GitHub. */
function listPulls({ state, repository, query }: RepositoryCall): Answer {
  const unknown = UNKNOWN_FILTERS.filter((name) => name in query);
  if (unknown.length > 0) {
    const violation = `the simulated list of pull requests does not know ${unknown.join(', ')}`;
    return { ...refused(state, 422, 'Validation Failed'), violation };
  }
  const { state: wanted = 'open', head } = query;
  const found = [...repository.pulls.values()].filter(
    (pull) => (wanted === 'all' || pull.state === wanted) && (!head?.includes(':') || isFrom(state.world, pull, head)),
  );
  return listed(
    state,
    found.toReversed().map((pull) => smallPull(state.world, repository, pull)),
  );
}

/** The owner's name is compared without case, the branch's with it. */
function isFrom(world: World, { head }: PullRequest, label: string): boolean {
  const [login = ''] = label.split(':', 1);
  const owner = accountOf(world, world.repositories.get(head.repositoryId)?.ownerId ?? null);
  return owner?.login.toLowerCase() === login.toLowerCase() && head.branch === label.slice(login.length + 1);
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
