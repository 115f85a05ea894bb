import type { BranchRule } from '../../core/state/head-branch.ts';
import { canApprove, type Permission } from '../../core/state/vote.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import {
  type GitHub,
  GitHubError,
  means,
  type PullRequestFile,
  type PushComparison,
  type TeamMembership,
} from '../../core/step/ports.ts';
import { isRecord } from '../../lib/trust.ts';
import { compare } from './repository.ts';
import {
  cacheKey,
  PAGE_SIZES,
  PAGES,
  type PullConnection,
  pullKey,
  pullParams,
  repositoryParams,
  withSmallerPages,
} from './requests/connection.ts';
import { hasRemedy, nullIfGone } from './requests/errors.ts';
import { listReviews } from './reviews.ts';

/** The pull request as it was read a moment ago, else as it is now. */
export async function fetchRecentPull(connection: PullConnection): Promise<PullFacts> {
  return connection.caches.pulls.get(pullKey(connection.ref)) ?? fetchPull(connection);
}

/** The current state of the pull request. */
export async function fetchPull({ ref, read, caches }: PullConnection): Promise<PullFacts> {
  const { data } = await read.rest.pulls.get(pullParams(ref));
  const pull: PullFacts = {
    state: data.merged ? 'merged' : data.state,
    draft: data.draft ?? false,
    title: data.title,
    description: data.body ?? '',
    labels: data.labels.map(({ name }) => name),
    // The API description requires an author, but a deleted account has none.
    author: data.user ? { id: data.user.id, login: data.user.login } : null,
    baseRef: data.base.ref,
    baseSha: data.base.sha,
    headRef: data.head.ref,
    headSha: data.head.sha,
    // The head of a deleted fork has no repository.
    fork: data.head.repo?.id !== ref.repositoryId,
    changedFiles: data.changed_files,
    defaultBranch: data.base.repo.default_branch,
  };
  caches.pulls.set(pullKey(ref), pull);
  return pull;
}

/**
 * Numbers of the other open pull requests from this branch. GitHub filters by owner only, so the repository is checked
 * here.
 */
export async function listOtherPullsOnBranch(
  { ref, read }: PullConnection,
  branch: string,
): Promise<readonly number[]> {
  const params = { ...repositoryParams(ref), state: 'open', head: `${ref.owner}:${branch}`, ...PAGES } as const;
  const pulls = await read.paginate(read.rest.pulls.list, params);
  const onBranch = pulls.filter(({ head }) => head.ref === branch && head.repo?.id === ref.repositoryId);
  return onBranch.map(({ number }) => number).filter((number) => number !== ref.number);
}

/** The files of the pull request's diff at its current head, cached if this is `head`. GitHub lists at most 3,000. */
export async function listPullFiles(connection: PullConnection, head: string): Promise<readonly PullRequestFile[]> {
  const { ref, read, caches } = connection;
  const key = cacheKey(ref, `${ref.number}:${head}`);
  const known = caches.files.get(key);
  if (known !== undefined) return known;
  const listed = await withSmallerPages(PAGE_SIZES, (size) =>
    read.paginate(read.rest.pulls.listFiles, { ...pullParams(ref), ...PAGES, per_page: size }),
  );
  const files = listed.map(toPullRequestFile);
  if (areAtHead(listed, head)) caches.files.set(key, files);
  return files;
}

type ListedFile = {
  filename: string;
  previous_filename?: string;
  status: string;
  additions: number;
  deletions: number;
  patch?: string;
  contents_url?: string;
};

function toPullRequestFile(file: ListedFile): PullRequestFile {
  return {
    path: file.filename,
    previousPath: file.previous_filename ?? null,
    status: file.status,
    added: file.additions,
    removed: file.deletions,
    patch: file.patch ?? null,
  };
}

/** A push can happen before or between the pages. Only the address of each file shows the commit of the list. */
function areAtHead(files: readonly ListedFile[], head: string): boolean {
  const remaining = files.filter(({ status }) => status !== 'removed');
  return remaining.length > 0 && remaining.every((file) => file.contents_url?.endsWith(`?ref=${head}`));
}

/** The files of the first page: GitHub lists at most 300 here. Null if it no longer has one of the commits. */
export async function comparePush(
  connection: PullConnection,
  before: string,
  after: string,
): Promise<PushComparison | null> {
  const found = await nullIfGone(compare(connection, `${before}...${after}`, { per_page: 1, page: 1 }));
  if (found === null) return null;
  return { files: (found.data.files ?? []).map(toPullRequestFile), rewritten: found.data.behind_by > 0 };
}

type PermissionLookup = Awaited<ReturnType<GitHub['fetchPermission']>>;

/**
 * The current permission of a person; Apps have none. Permissions below write are cached for 60 s, which saves requests
 * and can never allow anything.
 */
export async function fetchPermission(connection: PullConnection, login: string): Promise<PermissionLookup> {
  const { insufficientPermissions } = connection.caches;
  const key = cacheKey(connection.ref, login.toLowerCase());
  const known = insufficientPermissions.get(key);
  if (known !== undefined) return known;
  const result = await requestPermission(connection, login);
  if (!canApprove(result.permission)) insufficientPermissions.set(key, result);
  return result;
}

const PERMISSION_LEVELS: ReadonlyMap<string, Permission> = new Map([
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['write', 'write'],
  ['triage', 'read'],
  ['read', 'read'],
]);

const NO_PERMISSION = { permission: 'none', userId: null } as const;

async function requestPermission({ ref, read }: PullConnection, username: string): Promise<PermissionLookup> {
  const request = read.rest.repos.getCollaboratorPermissionLevel({ ...repositoryParams(ref), username });
  const found = await nullIfGone(request);
  if (found === null) return NO_PERMISSION;
  const { permission, role_name: role, user } = found.data;
  if (typeof permission !== 'string')
    throw new GitHubError('GitHub returned a permission in an unknown form', null, null);
  // A login can change its owner; only the numeric id identifies the person.
  if (!user) return NO_PERMISSION;
  // The endpoint reports maintainers as `write` in most answers; then only `role_name` distinguishes them.
  const isMaintainer = permission === 'write' && role === 'maintain';
  return { permission: isMaintainer ? 'maintain' : (PERMISSION_LEVELS.get(permission) ?? 'none'), userId: user.id };
}

/** Whether a person is a member of `@org/team`, also through a team below it. An invitation is no membership. */
export async function fetchTeamMembership(
  { readMembers }: PullConnection,
  team: string,
  username: string,
): Promise<TeamMembership> {
  const [org = '', slug = ''] = team.slice(1).split('/');
  try {
    const { data } = await readMembers.rest.teams.getMembershipForUserInOrg({ org, team_slug: slug, username });
    return data.state === 'active' ? 'member' : 'not-member';
  } catch (error) {
    if (hasRemedy(error, 'lesser-token')) return 'unreadable';
    if (means(error, 'gone')) return 'not-member';
    if (means(error, 'not-allowed')) return 'unreadable';
    throw error;
  }
}

/** Active rules of a branch, including rules that some accounts can bypass; empty if the server has no rulesets. */
export async function listBranchRules({ ref, read }: PullConnection, branch: string): Promise<readonly BranchRule[]> {
  try {
    const params = { ...repositoryParams(ref), branch, ...PAGES };
    return (await read.paginate(read.rest.repos.getBranchRules, params)).map(toBranchRule);
  } catch (error) {
    // An older server, or an account whose plan has no rules.
    if (means(error, 'gone', 'not-allowed')) return [];
    throw error;
  }
}

function toBranchRule(rule: { readonly type?: string; readonly parameters?: unknown }): BranchRule {
  const { type = '', parameters } = rule;
  return { type, dismissesReviews: isRecord(parameters) && parameters['dismiss_stale_reviews_on_push'] === true };
}

/** Number of people whose latest review with a verdict approves. */
export async function countApprovals(connection: PullConnection): Promise<number> {
  const states = new Map<number, string>();
  for (const { user, state } of await listReviews(connection)) {
    if (user && ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state)) states.set(user.id, state);
  }
  return [...states.values()].filter((state) => state === 'APPROVED').length;
}
