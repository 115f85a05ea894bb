import { fullName } from '../world/lookup.ts';
import type { Repository, Site, World } from '../world/state.ts';
import { secondsOf } from '../world/timestamp.ts';
import { simpleUser } from './account-payload.ts';
import type { Json } from './json.ts';
import { repositoryUrls } from './urls.ts';

const payloadsBySite = new WeakMap<Site, WeakMap<Repository, Json>>();

/**
 * A repository, complete enough for its own endpoint, for pull request ends and for webhooks. Worked out once for each
 * state of it: most payloads hold three.
 */
export function repositoryPayload(world: World, repository: Repository): Json {
  const known = payloadsBySite.get(world.site) ?? new WeakMap<Repository, Json>();
  payloadsBySite.set(world.site, known);
  const payload = known.get(repository) ?? newPayload(world, repository);
  known.set(repository, payload);
  return payload;
}

function newPayload(world: World, repository: Repository): Json {
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: fullName(world, repository),
    private: repository.private,
    owner: simpleUser(world, repository.ownerId),
    description: null,
    fork: repository.forkOf !== null,
    ...repositoryUrls(world, repository),
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    default_branch: repository.defaultBranch,
    visibility: repository.private ? 'private' : 'public',
    ...counts(repository),
    ...FEATURES,
  };
}

/** The same in a `push` event, where two of the dates are numbers. */
export function pushedRepository(world: World, repository: Repository): Json {
  return {
    ...repositoryPayload(world, repository),
    created_at: secondsOf(Date.parse(repository.createdAt)),
    pushed_at: secondsOf(Date.parse(repository.pushedAt)),
    master_branch: repository.defaultBranch,
    stargazers: 0,
  };
}

const FEATURES = {
  homepage: null,
  language: null,
  license: null,
  topics: [],
  size: 0,
  has_issues: true,
  has_projects: true,
  has_downloads: true,
  has_wiki: true,
  has_pages: false,
  has_discussions: false,
  archived: false,
  disabled: false,
  allow_forking: true,
  is_template: false,
  web_commit_signoff_required: false,
} as const;

function counts(repository: Repository): Json {
  const open = [...repository.pulls.values(), ...repository.issues.values()].filter(({ state }) => state === 'open');
  return {
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    open_issues: open.length,
    open_issues_count: open.length,
  };
}
