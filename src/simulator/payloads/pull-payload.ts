import { fullName } from '../world/lookup.ts';
import { pullCommits, pullFiles } from '../world/pull-diff.ts';
import type { PullEnd, PullRequest, Repository, World } from '../world/state.ts';
import { simpleUser } from './account-payload.ts';
import { authorAssociation } from './author-association.ts';
import type { Json } from './json.ts';
import { repositoryPayload } from './repository-payload.ts';
import { apiUrl, pageUrl } from './urls.ts';

/** A pull request as lists and review events show it: cheap, without counts. */
export function smallPull(world: World, repository: Repository, pull: PullRequest): Json {
  return {
    ...addresses(world, repository, pull),
    id: pull.id,
    node_id: pull.nodeId,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    user: simpleUser(world, pull.authorId),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.merge?.at ?? null,
    merge_commit_sha: pull.merge?.sha ?? null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: [],
    milestone: null,
    draft: pull.draft,
    head: endPayload(world, pull.head),
    base: endPayload(world, pull.base),
    author_association: authorAssociation(world, repository, pull.authorId),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** A pull request as its own endpoint and its own events show it; counting opens every changed file once. */
export function fullPull(world: World, repository: Repository, pull: PullRequest): Json {
  const files = pullFiles(world.store, pull);
  const merged = pull.merge !== null;
  return {
    ...smallPull(world, repository, pull),
    merged,
    mergeable: merged ? null : true,
    rebaseable: null,
    mergeable_state: merged ? 'unknown' : 'clean',
    merged_by: pull.merge === null ? null : simpleUser(world, pull.merge.byId),
    comments: pull.comments.size,
    review_comments: pull.reviewComments.size,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: pullCommits(world.store, pull).length,
    additions: files.reduce((sum, { patch }) => sum + patch.additions, 0),
    deletions: files.reduce((sum, { patch }) => sum + patch.deletions, 0),
    changed_files: files.length,
  };
}

/** The page of a pull request. */
export function pullPage(world: World, repository: Repository, pull: PullRequest): string {
  return `${pageUrl(world, repository)}/pull/${pull.number}`;
}

function endPayload(world: World, end: PullEnd): Json {
  const repository = world.repositories.get(end.repositoryId);
  const owner = repository === undefined ? 'unknown' : (fullName(world, repository).split('/')[0] ?? '');
  return {
    label: `${owner}:${end.branch}`,
    ref: end.branch,
    sha: end.sha,
    user: simpleUser(world, repository?.ownerId ?? null),
    repo: repository === undefined ? null : repositoryPayload(world, repository),
  };
}

function addresses(world: World, repository: Repository, pull: PullRequest): Json {
  const page = pullPage(world, repository, pull);
  const api = apiUrl(world, repository);
  const url = `${api}/pulls/${pull.number}`;
  const issue = `${api}/issues/${pull.number}`;
  const related = {
    comments: `${issue}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${api}/statuses/${pull.head.sha}`,
  };
  const links = { self: url, html: page, issue, ...related };
  return {
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    ...Object.fromEntries(Object.entries(related).map(([name, address]) => [`${name}_url`, address])),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
  };
}
