import { findMergeBase, listCommitsBetween, walkCommits } from '../git/ancestry.ts';
import { type GitObjectStore, readGitCommit, type Sha } from '../git/objects.ts';
import { findTreeEntry } from '../git/trees.ts';
import { needsPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  errorResponse,
  listResponse,
  notFoundResponse,
  okResponse,
  paginate,
} from '../http/http-messages.ts';
import { permissionPayload } from '../payloads/accounts.ts';
import { commitPayload, filePayload } from '../payloads/commits.ts';
import { repositoryApiUrl, repositoryPageUrl, repositoryPayload } from '../payloads/repositories.ts';
import { computeFileDiff, diffCommits } from '../state/commits.ts';
import type { FakeRuleset, FakeRuleType } from '../state/github-state.ts';
import {
  collaboratorRoleOf,
  findAccountByLogin,
  fullNameOf,
  listRulesetsForBranch,
  resolveCommit,
} from '../state/lookup.ts';
import { redirectToArchive } from './archive.ts';
import { type ApiRoute, createRepositoryRoute, type RepositoryRouteContext, readTextParam } from './router.ts';

/** The maximum number of files in a commit or comparison. */
const MAX_COMMIT_FILES = 300;

/** The maximum number of commits in a comparison without pagination. */
const MAX_COMPARED_COMMITS = 250;

/** `GET commits`: the history of a branch or commit, optionally of one path, newest first. */
function listRepositoryCommits(context: RepositoryRouteContext): ApiResponse {
  const { state, repository, query } = context;
  const start = resolveCommit(state.github, repository, query['sha'] ?? repository.defaultBranch);
  if (start === undefined) return notFoundResponse(state);
  const { store } = state.github;
  const path = query['path'];
  const shas = [...walkCommits(store, start)].filter((sha) => path === undefined || changesPath(store, sha, path));
  return listResponse(
    state,
    shas.map((sha) => commitPayload(state.github, repository, sha)),
  );
}

/** Whether a commit differs at a path from each of its parents. */
function changesPath(store: GitObjectStore, sha: Sha, path: string): boolean {
  const at = (commit: Sha): string | undefined => {
    const tree = readGitCommit(store, commit)?.tree;
    const entry = tree === undefined ? undefined : findTreeEntry(store, tree, path);
    return entry === undefined ? undefined : `${entry.mode} ${entry.sha}`;
  };
  const parents = readGitCommit(store, sha)?.parents ?? [];
  const now = at(sha);
  return parents.length === 0 ? now !== undefined : parents.every((parent) => at(parent) !== now);
}

/** `GET commits/{ref}`: a commit with its changed files. */
function getRepositoryCommit(context: RepositoryRouteContext): ApiResponse {
  const { state, repository } = context;
  const reference = readTextParam(context, 'ref');
  const sha = resolveCommit(state.github, repository, reference);
  if (sha === undefined) return errorResponse(state, 422, `No commit found for SHA: ${reference}`);
  const parent = readGitCommit(state.github.store, sha)?.parents[0];
  const files = createFilePayloads(context, parent ?? '', sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const stats = { total: additions + deletions, additions, deletions };
  return okResponse(state, {
    ...commitPayload(state.github, repository, sha),
    stats,
    files: files.map((file) => file.payload),
  });
}

/** `GET compare/{base}...{head}`: the commits and changed files of the head since the merge base. */
function compareRepositoryCommits(context: RepositoryRouteContext): ApiResponse {
  const { state, repository } = context;
  const { store } = state.github;
  const [base = '', head = ''] = readTextParam(context, 'basehead').split('...', 2);
  const baseSha = resolveCommit(state.github, repository, base);
  const headSha = resolveCommit(state.github, repository, head);
  if (baseSha === undefined || headSha === undefined) return notFoundResponse(state);
  const mergeBase = findMergeBase(store, baseSha, headSha);
  if (mergeBase === undefined) return errorResponse(state, 404, `No common ancestor between ${base} and ${head}.`);
  const page = createComparedPage(context, listCommitsBetween(store, baseSha, headSha));
  const ahead = page.total;
  const behind = listCommitsBetween(store, headSha, baseSha);
  const toPayload = (sha: Sha) => commitPayload(state.github, repository, sha);
  const answer = okResponse(state, {
    ...createCompareUrls(context, base, head),
    base_commit: toPayload(baseSha),
    merge_base_commit: toPayload(mergeBase),
    status: compareStatus(ahead, behind.length),
    ahead_by: ahead,
    behind_by: behind.length,
    total_commits: ahead,
    commits: page.shas.map(toPayload),
    files: page.first ? createFilePayloads(context, mergeBase, headSha).map((file) => file.payload) : [],
  });
  return page.link === undefined ? answer : { ...answer, headers: { link: page.link } };
}

type ComparedPage = {
  readonly shas: readonly Sha[];
  readonly total: number;
  readonly first: boolean;
  readonly link: string | undefined;
};

/** Without `page` the list has the first 250 commits. Only the first page has files. */
function createComparedPage(
  { state, repository, query, params }: RepositoryRouteContext,
  all: readonly Sha[],
): ComparedPage {
  const total = all.length;
  const paged = 'page' in query || 'per_page' in query;
  if (!paged) return { shas: all.slice(0, MAX_COMPARED_COMMITS), total, first: true, link: undefined };
  const address = `${state.github.host.apiUrl}/repositories/${repository.id}/compare/${params['basehead'] ?? ''}`;
  const { items, link } = paginate(all, query, address);
  return { shas: items, total, first: (query['page'] ?? '1') === '1', link };
}

function createCompareUrls({ state, repository }: RepositoryRouteContext, base: string, head: string): object {
  const page = `${repositoryPageUrl(state.github, repository)}/compare/${base}...${head}`;
  return {
    url: `${repositoryApiUrl(state.github, repository)}/compare/${base}...${head}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
  };
}

function compareStatus(ahead: number, behind: number): 'identical' | 'ahead' | 'behind' | 'diverged' {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

type FilePayload = { readonly payload: unknown; readonly additions: number; readonly deletions: number };

function createFilePayloads(
  { state, repository }: RepositoryRouteContext,
  before: Sha,
  after: Sha,
): readonly FilePayload[] {
  const { github } = state;
  const changes = diffCommits(github.store, before, after).slice(0, MAX_COMMIT_FILES);
  return changes.map((change) => {
    const diff = computeFileDiff(github.store, change);
    const { additions, deletions } = diff.patch;
    return { payload: filePayload(github, repository, after, diff), additions, deletions };
  });
}

const READ_METADATA = needsPermission('metadata', 'read');

const READ_CONTENTS = needsPermission('contents', 'read');

export const REPOSITORY_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute('GET ', READ_METADATA, ({ state, repository }) =>
    okResponse(state, repositoryPayload(state.github, repository)),
  ),
  createRepositoryRoute('GET /collaborators/{username}/permission', READ_METADATA, getPermission),
  createRepositoryRoute('GET /rules/branches/{branch}', READ_METADATA, listRules),
  createRepositoryRoute('GET /commits', READ_CONTENTS, listRepositoryCommits),
  createRepositoryRoute('GET /commits/{ref}', READ_CONTENTS, getRepositoryCommit),
  createRepositoryRoute('GET /compare/{basehead}', READ_CONTENTS, compareRepositoryCommits),
  createRepositoryRoute('GET /tarball/{ref}', READ_CONTENTS, redirectToArchive),
];

/** As on GitHub, a bot is not found. */
function getPermission(context: RepositoryRouteContext): ApiResponse {
  const { state, repository } = context;
  const login = readTextParam(context, 'username');
  const account = findAccountByLogin(state.github, login);
  if (account === undefined) return notFoundResponse(state);
  if (account.type !== 'User') return errorResponse(state, 404, `${login} is not a user`);
  return okResponse(state, permissionPayload(state.github, account, collaboratorRoleOf(repository, account.id)));
}

function listRules(context: RepositoryRouteContext): ApiResponse {
  const rulesets = listRulesetsForBranch(context.repository, readTextParam(context, 'branch'));
  return listResponse(
    context.state,
    rulesets.flatMap((ruleset) => ruleset.types.map((type) => rulePayload(context, ruleset, type))),
  );
}

function pullRequestParameters({ dismissesStaleReviews = false }: FakeRuleset): object {
  return {
    dismiss_stale_reviews_on_push: dismissesStaleReviews,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
}

function rulePayload(context: RepositoryRouteContext, ruleset: FakeRuleset, type: FakeRuleType): unknown {
  return {
    type,
    ...(type === 'pull_request' ? { parameters: pullRequestParameters(ruleset) } : {}),
    ...(type === 'update' ? { parameters: { update_allows_fetch_and_merge: false } } : {}),
    ruleset_source_type: 'Repository',
    ruleset_source: fullNameOf(context.state.github, context.repository),
    ruleset_id: ruleset.rulesetId,
  };
}
