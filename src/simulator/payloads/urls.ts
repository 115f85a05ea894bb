import { fullName } from '../world/lookup.ts';
import type { Repository, Site, World } from '../world/state.ts';
import type { Json } from './json.ts';

/** A repository's address in the REST API. */
export function apiUrl(world: World, repository: Repository): string {
  return `${world.site.api}/repos/${fullName(world, repository)}`;
}

/** A repository's page. */
export function pageUrl(world: World, repository: Repository): string {
  return `${world.site.html}/${fullName(world, repository)}`;
}

/** The `*_url` fields of a repository that are its address with a suffix. */
const SUFFIXES = {
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

const urlsBySite = new WeakMap<Site, Map<string, Json>>();

/**
 * Every address a repository's representation carries; worked out once for each name, since most payloads hold three.
 */
export function repositoryUrls(world: World, repository: Repository): Json {
  const known = urlsBySite.get(world.site) ?? new Map<string, Json>();
  urlsBySite.set(world.site, known);
  const name = fullName(world, repository);
  const urls = known.get(name) ?? newUrls(world, repository);
  known.set(name, urls);
  return urls;
}

function newUrls(world: World, repository: Repository): Json {
  const url = apiUrl(world, repository);
  const page = pageUrl(world, repository);
  const path = fullName(world, repository);
  const host = new URL(page).host;
  return {
    url,
    html_url: page,
    ...Object.fromEntries(Object.entries(SUFFIXES).map(([name, suffix]) => [name, `${url}${suffix}`])),
    clone_url: `${page}.git`,
    git_url: `git://${host}/${path}.git`,
    ssh_url: `git@${host}:${path}.git`,
    svn_url: page,
    mirror_url: null,
  };
}
