import type { JsonObject } from '../../lib/json.ts';
import { readGitCommit, type Sha } from '../git/objects.ts';
import {
  combinedStateOf,
  listLatestStatuses,
  listPullsAt,
  listSuiteRuns,
  suiteConclusionOf,
  suiteStatusOf,
} from '../state/checks.ts';
import type {
  FakeAnnotation,
  FakeCheckRun,
  FakeCheckSuite,
  FakeCommitStatus,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import { appPayload, simpleUserPayload } from './accounts.ts';
import { repositoryApiUrl, repositoryPageUrl, repositoryPayload } from './repositories.ts';

/** A check run of the REST API. */
export function checkRunPayload(github: GitHubState, repository: FakeRepository, run: FakeCheckRun): JsonObject {
  const url = `${repositoryApiUrl(github, repository)}/check-runs/${run.id}`;
  const page = `${repositoryPageUrl(github, repository)}/runs/${run.id}`;
  const isJob = github.apps.get(run.appId)?.slug === 'github-actions';
  return {
    id: run.id,
    name: run.name,
    node_id: run.nodeId,
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: page,
    details_url: run.detailsUrl ?? (isJob ? jobPage(github, repository, run) : page),
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suiteId },
    app: checkAppPayload(github, run.appId),
    pull_requests: listPullsAt(repository, run.headSha).map((pull) => pullPayload(github, repository, pull)),
  };
}

/** The page of a job of GitHub Actions, which has the id of its check run. */
function jobPage(github: GitHubState, repository: FakeRepository, { id, suiteId }: FakeCheckRun): string {
  return `${repositoryPageUrl(github, repository)}/actions/runs/${suiteId}/job/${id}`;
}

/** The App of a check, without the fields that only its own endpoints show. */
export function checkAppPayload(github: GitHubState, appId: number): JsonObject | null {
  const app = github.apps.get(appId);
  if (app === undefined) return null;
  const { installations_count: _hidden, ...shown } = appPayload(github, app);
  return shown;
}

/** The short pull request in a check. */
export function pullPayload(github: GitHubState, repository: FakeRepository, pull: FakePullRequest): JsonObject {
  const url = repositoryApiUrl(github, repository);
  const repo = { id: repository.id, url, name: repository.name };
  const { head, base, id, number } = pull;
  const branch = (of: FakePullRequest['head']): JsonObject => ({ ref: of.branch, sha: of.sha, repo });
  return { id, number, url: `${url}/pulls/${number}`, head: branch(head), base: branch(base) };
}

export function annotationPayload(
  github: GitHubState,
  repository: FakeRepository,
  sha: Sha,
  annotation: FakeAnnotation,
): JsonObject {
  const { path, startLine, endLine, level, message, title } = annotation;
  return {
    path,
    blob_href: `${repositoryPageUrl(github, repository)}/blob/${sha}/${path}`,
    start_line: startLine,
    start_column: null,
    end_line: endLine,
    end_column: null,
    annotation_level: level,
    title,
    message,
    raw_details: null,
  };
}

/** The fields that REST and webhooks show of a suite. */
export function suiteFields(github: GitHubState, repository: FakeRepository, suite: FakeCheckSuite): JsonObject {
  const url = `${repositoryApiUrl(github, repository)}/check-suites/${suite.id}`;
  const [pull] = listPullsAt(repository, suite.headSha);
  return {
    id: suite.id,
    node_id: suite.nodeId,
    head_branch: pull?.head.branch ?? null,
    head_sha: suite.headSha,
    status: suiteStatusOf(repository, suite),
    conclusion: suiteConclusionOf(repository, suite),
    url,
    before: readGitCommit(github.store, suite.headSha)?.parents[0] ?? null,
    after: suite.headSha,
    pull_requests: listPullsAt(repository, suite.headSha).map((one) => pullPayload(github, repository, one)),
    app: checkAppPayload(github, suite.appId),
    created_at: suite.createdAt,
    updated_at: suite.createdAt,
  };
}

/** A suite of the REST API, and of its own webhooks. */
export function checkSuitePayload(github: GitHubState, repository: FakeRepository, suite: FakeCheckSuite): JsonObject {
  return {
    ...suiteFields(github, repository, suite),
    latest_check_runs_count: listSuiteRuns(repository, suite.id).length,
    check_runs_url: `${repositoryApiUrl(github, repository)}/check-suites/${suite.id}/check-runs`,
    head_commit: headCommitPayload(github, suite.headSha),
  };
}

/** A commit as events of checks show it. */
export function headCommitPayload(github: GitHubState, sha: Sha): JsonObject | null {
  const commit = readGitCommit(github.store, sha);
  if (commit === undefined) return null;
  const { author, committer, tree, message } = commit;
  return {
    id: sha,
    tree_id: tree,
    message,
    timestamp: new Date(committer.seconds * 1000).toISOString(),
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}

export function statusPayload(github: GitHubState, repository: FakeRepository, status: FakeCommitStatus): JsonObject {
  const { id, nodeId, sha, context, state, description, targetUrl, creatorId, createdAt } = status;
  return {
    url: `${repositoryApiUrl(github, repository)}/statuses/${sha}`,
    avatar_url: simpleUserPayload(github, creatorId)?.['avatar_url'] ?? null,
    id,
    node_id: nodeId,
    state,
    description,
    target_url: targetUrl,
    context,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** `GET commits/{ref}/status`: the newest status of each context, and all in one word. */
export function combinedStatusPayload(
  github: GitHubState,
  repository: FakeRepository,
  sha: Sha,
  page: readonly unknown[],
): JsonObject {
  const latest = listLatestStatuses(repository, sha);
  const url = `${repositoryApiUrl(github, repository)}/commits/${sha}`;
  return {
    state: combinedStateOf(latest),
    statuses: page,
    sha,
    total_count: latest.length,
    repository: repositoryPayload(github, repository),
    commit_url: url,
    url: `${url}/status`,
  };
}
