import { z } from 'zod';
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
import { compare, DEFAULT_ROOT, DefaultRoot, keepDefaultRoot } from './repository.ts';
import {
  askGraphql,
  cacheKey,
  PAGE_SIZES,
  PAGES,
  type PullConnection,
  pullKey,
  pullParams,
  repositoryParams,
  SMALLEST_PAGE,
  visibleNodes,
  withSmallerPages,
} from './requests/connection.ts';
import { nullIfGone } from './requests/errors.ts';

/** The pull request as it was read a moment ago, else as it is now. */
export async function fetchRecentPull(connection: PullConnection): Promise<PullFacts> {
  return connection.caches.pulls.get(pullKey(connection.ref)) ?? fetchPull(connection);
}

/** The current state of the pull request, with the default branch that its settings are read from. */
export async function fetchPull(connection: PullConnection): Promise<PullFacts> {
  const readAt = connection.now();
  const { repository } = await withSmallerPages(PAGE_SIZES, (size) =>
    askGraphql(connection.read, PULL_QUERY, pullVariables(connection, size), PullPage),
  );
  return keepPull(connection, repository, readAt);
}

/** The variables of a query that reads the pull request. */
export function pullVariables({ ref }: PullConnection, size: number) {
  return { ...repositoryParams(ref), number: ref.number, size };
}

/**
 * Keeps for a moment what GitHub answered to a request that was sent at this time (ms). `head` is a commit that this
 * request made: the pull request shows it a little later than the branch.
 */
export function keepPull(
  connection: PullConnection,
  { pullRequest, ...repository }: PullRepository,
  readAt: number,
  head: string = pullRequest.headRefOid,
): PullFacts {
  const { ref, caches } = connection;
  const shown = toPullFacts(pullRequest, ref.repositoryId, repository.defaultBranchRef?.name ?? '');
  const facts = shown.state === 'open' ? { ...shown, headSha: head } : shown;
  keepDefaultRoot(connection, repository, readAt);
  // A full page can lack the App's label.
  if (facts.labels.length < SMALLEST_PAGE) caches.pulls.set(pullKey(ref), facts);
  return facts;
}

/** The pull request and the default branch, as a part of a GraphQL query of the repository. */
export const PULL = `fragment pull on Repository {
  pullRequest(number: $number) {
    state isDraft title body changedFiles
    author { __typename login ... on User { databaseId } ... on Bot { databaseId } }
    labels(first: $size) { nodes { name } }
    baseRefName baseRefOid headRefName headRefOid
    headRepository { databaseId }
    latestOpinionatedReviews(first: $size) { nodes { state } }
  }
  ...defaultRoot
}
${DEFAULT_ROOT}`;

const PULL_QUERY = `query pull($owner: String!, $repo: String!, $number: Int!, $size: Int!) {
  repository(owner: $owner, name: $repo) { ...pull }
}
${PULL}`;

const PullRequest = z.object({
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  isDraft: z.boolean(),
  title: z.string(),
  body: z.string(),
  changedFiles: z.number(),
  // A deleted account is null. Only people and bots have an id, and these always: a rule can ask for another person.
  author: z
    .object({ __typename: z.string(), login: z.string(), databaseId: z.number().nullish() })
    .refine(({ __typename: type, databaseId }) => databaseId != null || !['User', 'Bot'].includes(type))
    .nullable(),
  labels: z.object({ nodes: visibleNodes(z.object({ name: z.string() })) }).nullable(),
  baseRefName: z.string(),
  baseRefOid: z.string(),
  headRefName: z.string(),
  headRefOid: z.string(),
  // The head of a deleted fork has no repository.
  headRepository: z.object({ databaseId: z.number().nullable() }).nullable(),
  latestOpinionatedReviews: z.object({ nodes: visibleNodes(z.object({ state: z.string() })) }).nullable(),
});

export const PullRepository = DefaultRoot.extend({ pullRequest: PullRequest });

type PullRepository = z.infer<typeof PullRepository>;

const PullPage = z.object({ repository: PullRepository });

const PULL_STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;

function toPullFacts(
  { author, ...pull }: z.infer<typeof PullRequest>,
  repositoryId: number,
  defaultBranch: string,
): PullFacts {
  const approvals = (pull.latestOpinionatedReviews?.nodes ?? []).filter(({ state }) => state === 'APPROVED');
  // REST and webhooks know a bot by a longer name.
  const login = author?.__typename === 'Bot' ? `${author.login}[bot]` : (author?.login ?? '');
  return {
    state: PULL_STATES[pull.state],
    draft: pull.isDraft,
    title: pull.title,
    description: pull.body,
    labels: (pull.labels?.nodes ?? []).map(({ name }) => name),
    author: author?.databaseId == null ? null : { id: author.databaseId, login },
    baseRef: pull.baseRefName,
    baseSha: pull.baseRefOid,
    headRef: pull.headRefName,
    headSha: pull.headRefOid,
    fork: pull.headRepository?.databaseId !== repositoryId,
    changedFiles: pull.changedFiles,
    approvals: approvals.length,
    defaultBranch,
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
