import type { Sha } from '../git/objects.ts';
import type {
  FakeActor,
  FakeCheckRun,
  FakeCheckSuite,
  FakeCommitStatus,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import { fullNameOf } from '../state/lookup.ts';
import type { WebhookEvent } from '../state/operation.ts';
import { checkRunPayload, checkSuitePayload, headCommitPayload, statusPayload, suiteFields } from './checks.ts';
import { commitPayload } from './commits.ts';
import { repositoryApiUrl } from './repositories.ts';
import { createRepositoryEvent } from './webhook-events.ts';

/** `check_run.created` and `check_run.completed`, for every App that may read checks. */
export function createCheckRunEvent(
  github: GitHubState,
  repository: FakeRepository,
  run: FakeCheckRun,
  action: 'created' | 'completed',
  actor: FakeActor,
): WebhookEvent {
  const suite = repository.checkSuites.get(run.suiteId);
  const checkSuite = suite === undefined ? null : suiteFields(github, repository, suite);
  const checkRun = { ...checkRunPayload(github, repository, run), check_suite: checkSuite };
  return createRepositoryEvent(github, 'check_run', action, repository, actor, { check_run: checkRun });
}

export function createCheckSuiteEvent(
  github: GitHubState,
  repository: FakeRepository,
  suite: FakeCheckSuite,
  action: 'completed',
  actor: FakeActor,
): WebhookEvent {
  const checkSuite = checkSuitePayload(github, repository, suite);
  return createRepositoryEvent(github, 'check_suite', action, repository, actor, { check_suite: checkSuite });
}

/** `status`; it names the branches that point to the commit. */
export function createStatusEvent(
  github: GitHubState,
  repository: FakeRepository,
  status: FakeCommitStatus,
  actor: FakeActor,
): WebhookEvent {
  const { sha, createdAt } = status;
  const url = `${repositoryApiUrl(github, repository)}/commits/${sha}`;
  const branches = [...repository.refs].filter(([ref, head]) => ref.startsWith('refs/heads/') && head === sha);
  const { url: _url, node_id: _nodeId, ...shown } = statusPayload(github, repository, status);
  return createRepositoryEvent(github, 'status', null, repository, actor, {
    ...shown,
    sha,
    name: fullNameOf(github, repository),
    commit: commitPayload(github, repository, sha),
    branches: branches.map(([ref]) => ({
      name: ref.slice('refs/heads/'.length),
      commit: { sha, url },
      protected: false,
    })),
    created_at: createdAt,
    updated_at: createdAt,
  });
}

/** `check_run.requested_action`, for the App that made the run alone. */
export function createRequestedActionEvent(
  github: GitHubState,
  repository: FakeRepository,
  run: FakeCheckRun,
  identifier: string,
  actor: FakeActor,
): WebhookEvent {
  const suite = repository.checkSuites.get(run.suiteId);
  const checkSuite = suite === undefined ? null : suiteFields(github, repository, suite);
  const body = {
    check_run: { ...checkRunPayload(github, repository, run), check_suite: checkSuite },
    requested_action: { identifier },
  };
  const event = createRepositoryEvent(github, 'check_run', 'requested_action', repository, actor, body);
  return { ...event, onlyAppId: run.appId };
}

/** `merge_group.checks_requested`. The branch of the group names its last pull request. */
export function createMergeGroupEvent(
  github: GitHubState,
  repository: FakeRepository,
  { number, base }: FakePullRequest,
  sha: Sha,
  actor: FakeActor,
): WebhookEvent {
  const merge_group = {
    head_sha: sha,
    head_ref: `refs/heads/gh-readonly-queue/${base.branch}/pr-${number}-${base.sha}`,
    base_sha: base.sha,
    base_ref: `refs/heads/${base.branch}`,
    head_commit: headCommitPayload(github, sha),
  };
  return createRepositoryEvent(github, 'merge_group', 'checks_requested', repository, actor, { merge_group });
}
