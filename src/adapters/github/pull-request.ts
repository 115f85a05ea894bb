import type { BranchRule } from '../../core/state/head-branch.ts';
import { canApprove, type Permission } from '../../core/state/vote.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import { type GitHub, GitHubError, type PullRequestFile, type PushComparison } from '../../core/step/ports.ts';
import { isRecord } from '../../lib/trust.ts';
import { allItems, cacheKey, PAGES, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { GitHubRequestError, isNotFound } from './requests/errors.ts';
import { listReviews } from './reviews.ts';

/** The current state of the pull request. */
export async function fetchPull({ ref, read }: PullConnection): Promise<PullFacts> {
  const { data } = await read((client) => client.rest.pulls.get(pullParams(ref)));
  return {
    state: data.merged ? 'merged' : data.state,
    draft: data.draft ?? false,
    title: data.title,
    description: data.body ?? '',
    labels: data.labels.map(({ name }) => name),
    // The API description requires an author, but a deleted account has none.
    author: data.user ? { id: Number(data.user.id), login: data.user.login } : null,
    baseRef: data.base.ref,
    baseSha: data.base.sha,
    headRef: data.head.ref,
    headSha: data.head.sha,
    // The head of a deleted fork has no repository.
    fork: data.head.repo?.id !== ref.repositoryId,
    changedFiles: data.changed_files,
    defaultBranch: data.base.repo.default_branch,
  };
}

/**
 * Numbers of the other open pull requests from this branch. GitHub filters by owner only, so the repository is checked
 * here.
 */
export async function listOtherPullsOnBranch(
  { ref, read }: PullConnection,
  branch: string,
): Promise<readonly number[]> {
  const pulls = await read((client) =>
    client.paginate(
      client.rest.pulls.list,
      {
        ...repositoryParams(ref),
        state: 'open',
        head: `${ref.owner}:${branch}`,
        ...PAGES,
      },
      allItems(),
    ),
  );
  const pullsOnBranch = pulls.filter(({ head }) => head.ref === branch && head.repo?.id === ref.repositoryId);
  return pullsOnBranch.map(({ number }) => number).filter((number) => number !== ref.number);
}

/** The files of the pull request's diff at its current head, cached if this is `head`. GitHub lists at most 3,000. */
export async function listPullFiles(connection: PullConnection, head: string): Promise<readonly PullRequestFile[]> {
  const { files } = connection.caches;
  const key = cacheKey(connection.ref, `${connection.ref.number}:${head}`);
  const cached = files.get(key);
  if (cached !== undefined) return cached;
  const listed = await requestPullFiles(connection);
  const pullFiles = listed.map(toPullRequestFile);
  if (areAtHead(listed, head)) files.set(key, pullFiles);
  return pullFiles;
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

/** The files of the first page: GitHub lists at most 300 here. Null if it no longer has one of the commits. */
export async function comparePush(
  { ref, read }: PullConnection,
  before: string,
  after: string,
): Promise<PushComparison | null> {
  try {
    const { data } = await read((client) =>
      client.rest.repos.compareCommitsWithBasehead({
        ...repositoryParams(ref),
        basehead: `${before}...${after}`,
        per_page: 1,
        page: 1,
      }),
    );
    return { files: (data.files ?? []).map(toPullRequestFile), rewritten: data.behind_by > 0 };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function requestPullFiles({ ref, read }: PullConnection): Promise<readonly ListedFile[]> {
  return read((client) =>
    client.paginate(client.rest.pulls.listFiles, { ...pullParams(ref), ...PAGES }, allItems<ListedFile>()),
  );
}

/** A push can happen before or between the pages. Only the address of each file shows the commit of the list. */
function areAtHead(files: readonly ListedFile[], head: string): boolean {
  const remaining = files.filter(({ status }) => status !== 'removed');
  return remaining.length > 0 && remaining.every((file) => file.contents_url?.endsWith(`?ref=${head}`));
}

/**
 * The current permission of a person; Apps have none. Permissions below write are cached for 60 s, which saves requests
 * and can never allow anything.
 */
export async function fetchPermission(
  connection: PullConnection,
  login: string,
): ReturnType<GitHub['fetchPermission']> {
  const { ref, caches } = connection;
  const key = cacheKey(ref, login.toLowerCase());
  const cached = caches.insufficientPermissions.get(key);
  if (cached !== undefined) return cached;
  const result = await requestPermission(connection, login);
  if (!canApprove(result.permission)) caches.insufficientPermissions.set(key, result);
  return result;
}

const PERMISSION_LEVELS: ReadonlyMap<string, Permission> = new Map([
  ['admin', 'admin'],
  ['write', 'write'],
  ['read', 'read'],
]);

const NO_PERMISSION = { permission: 'none', userId: null } as const;

async function requestPermission(
  { ref, read }: PullConnection,
  username: string,
): ReturnType<GitHub['fetchPermission']> {
  try {
    const { data } = await read((client) =>
      client.rest.repos.getCollaboratorPermissionLevel({ ...repositoryParams(ref), username }),
    );
    if (typeof data.permission !== 'string')
      throw new GitHubError('GitHub returned a permission in an unknown form', null, null);
    // A login can change its owner; only the numeric id identifies the person.
    if (!data.user) return NO_PERMISSION;
    // The endpoint reports maintainers as `write`; only `role_name` distinguishes them.
    const isMaintainer = data.permission === 'write' && data.role_name === 'maintain';
    const permission = isMaintainer ? 'maintain' : (PERMISSION_LEVELS.get(data.permission) ?? 'none');
    return { permission, userId: Number(data.user.id) };
  } catch (error) {
    if (isNotFound(error)) return NO_PERMISSION;
    throw error;
  }
}

/** Active rules of a branch, including rules that some accounts can bypass; empty if the server has no rulesets. */
export async function listBranchRules({ ref, read }: PullConnection, branch: string): Promise<readonly BranchRule[]> {
  try {
    const rules = await read((client) =>
      client.paginate(
        client.rest.repos.getBranchRules,
        {
          ...repositoryParams(ref),
          branch,
          ...PAGES,
        },
        allItems(),
      ),
    );
    return rules.map(toBranchRule);
  } catch (error) {
    if (error instanceof GitHubRequestError && (error.status === 404 || error.status === 403) && error.retryAt === null)
      return [];
    throw error;
  }
}

function toBranchRule(rule: object): BranchRule {
  const ruleObject: unknown = rule;
  if (!isRecord(ruleObject)) return { type: '', dismissesReviews: false };
  const parameters = isRecord(ruleObject['parameters']) ? ruleObject['parameters'] : {};
  return { type: String(ruleObject['type']), dismissesReviews: parameters['dismiss_stale_reviews_on_push'] === true };
}

/** Number of people whose latest review with a verdict approves. */
export async function countApprovals(connection: PullConnection): Promise<number> {
  const states = new Map<number, string>();
  for (const { user, state } of await listReviews(connection)) {
    if (user && (state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED'))
      states.set(Number(user.id), state);
  }
  return [...states.values()].filter((state) => state === 'APPROVED').length;
}
