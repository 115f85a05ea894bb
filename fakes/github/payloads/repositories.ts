import type { JsonObject } from '../../lib/json.ts';
import type { FakeAccount, FakeRepository, GitHubHost, GitHubState } from '../state/github-state.ts';
import { fullNameOf } from '../state/lookup.ts';
import { toUnixSeconds } from '../state/update.ts';
import { simpleUserPayload } from './accounts.ts';

/** The latest payload of a repository, and what else it was made from. */
type KnownPayload = {
  readonly repository: FakeRepository;
  readonly owner: FakeAccount | undefined;
  readonly openCount: number;
  readonly payload: JsonObject;
};

const payloadsByHost = new WeakMap<GitHubHost, Map<number, KnownPayload>>();

/**
 * The payload of a repository. Cached, because most payloads contain it three times, and because most changes of a
 * repository are of its pull requests, which it only counts.
 */
export function repositoryPayload(github: GitHubState, repository: FakeRepository): JsonObject {
  const known = payloadsByHost.get(github.host) ?? new Map<number, KnownPayload>();
  payloadsByHost.set(github.host, known);
  const last = known.get(repository.id);
  if (last?.repository === repository) return last.payload;
  const owner = github.accounts.get(repository.ownerId);
  const openCount = countOpen(repository);
  const isSame =
    last?.owner === owner &&
    last?.openCount === openCount &&
    SHOWN_FIELDS.every((field) => last.repository[field] === repository[field]);
  const payload = last !== undefined && isSame ? last.payload : createRepositoryPayload(github, repository, openCount);
  known.set(repository.id, { repository, owner, openCount, payload });
  return payload;
}

/** All fields of a repository that its payload shows, besides the number of open issues. */
const SHOWN_FIELDS = [
  'id',
  'nodeId',
  'name',
  'ownerId',
  'private',
  'forkOf',
  'createdAt',
  'pushedAt',
  'defaultBranch',
] as const satisfies readonly (keyof FakeRepository)[];

function createRepositoryPayload(
  github: GitHubState,
  repository: Pick<FakeRepository, (typeof SHOWN_FIELDS)[number]>,
  openCount: number,
): JsonObject {
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: fullNameOf(github, repository),
    private: repository.private,
    owner: simpleUserPayload(github, repository.ownerId),
    description: null,
    fork: repository.forkOf !== null,
    ...repositoryUrls(github, repository),
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    default_branch: repository.defaultBranch,
    visibility: repository.private ? 'private' : 'public',
    ...countFields(openCount),
    ...CONSTANT_FIELDS,
  };
}

/** The repository of a `push` event, with two dates as numbers. */
export function pushedRepositoryPayload(github: GitHubState, repository: FakeRepository): JsonObject {
  return {
    ...repositoryPayload(github, repository),
    created_at: toUnixSeconds(Date.parse(repository.createdAt)),
    pushed_at: toUnixSeconds(Date.parse(repository.pushedAt)),
    master_branch: repository.defaultBranch,
    stargazers: 0,
  };
}

const CONSTANT_FIELDS = {
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

function countOpen({ pulls, issues }: FakeRepository): number {
  return [...pulls.values(), ...issues.values()].filter(({ state }) => state === 'open').length;
}

function countFields(openCount: number): JsonObject {
  return {
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    open_issues: openCount,
    open_issues_count: openCount,
  };
}

type NamedRepository = Pick<FakeRepository, 'ownerId' | 'name'>;

export function repositoryApiUrl(github: GitHubState, repository: NamedRepository): string {
  return `${github.host.apiUrl}/repos/${fullNameOf(github, repository)}`;
}

export function repositoryPageUrl(github: GitHubState, repository: NamedRepository): string {
  return `${github.host.webUrl}/${fullNameOf(github, repository)}`;
}

/** The `*_url` fields, as suffixes of the repository’s API URL. */
const REPOSITORY_URL_SUFFIXES = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const;

const urlsByHost = new WeakMap<GitHubHost, Map<string, JsonObject>>();

/** Cached by name, because most payloads contain three repositories. */
function repositoryUrls(github: GitHubState, repository: NamedRepository): JsonObject {
  const known = urlsByHost.get(github.host) ?? new Map<string, JsonObject>();
  urlsByHost.set(github.host, known);
  const name = fullNameOf(github, repository);
  const urls = known.get(name) ?? createUrls(github, repository);
  known.set(name, urls);
  return urls;
}

function createUrls(github: GitHubState, repository: NamedRepository): JsonObject {
  const url = repositoryApiUrl(github, repository);
  const page = repositoryPageUrl(github, repository);
  const path = fullNameOf(github, repository);
  const host = new URL(page).host;
  return {
    url,
    html_url: page,
    ...Object.fromEntries(Object.entries(REPOSITORY_URL_SUFFIXES).map(([name, suffix]) => [name, `${url}${suffix}`])),
    clone_url: `${page}.git`,
    git_url: `git://${host}/${path}.git`,
    ssh_url: `git@${host}:${path}.git`,
    svn_url: page,
    mirror_url: null,
  };
}
