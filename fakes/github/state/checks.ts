import type { Sha } from '../git/objects.ts';
import type {
  FakeCheckConclusion,
  FakeCheckRun,
  FakeCheckStatus,
  FakeCheckSuite,
  FakeCommitStatus,
  FakePullRequest,
  FakeRepository,
  FakeStatusState,
} from './github-state.ts';

/** The suites of a commit, oldest first. */
export function listCheckSuites({ checkSuites }: FakeRepository, sha: Sha): readonly FakeCheckSuite[] {
  return [...checkSuites.values()].filter(({ headSha }) => headSha === sha);
}

/** The check runs of a suite, oldest first. `latest` keeps the newest of each name. */
export function listSuiteRuns(
  { checkRuns }: FakeRepository,
  suiteId: number,
  filter: 'latest' | 'all' = 'latest',
): readonly FakeCheckRun[] {
  const own = [...checkRuns.values()].filter((run) => run.suiteId === suiteId);
  return filter === 'all' ? own : [...new Map(own.map((run) => [run.name, run])).values()];
}

/** The status of a suite. One without check runs stays queued for ever. */
export function suiteStatusOf(repository: FakeRepository, suite: FakeCheckSuite): FakeCheckStatus {
  const runs = listSuiteRuns(repository, suite.id);
  if (runs.length === 0 || runs.every(({ status }) => status === 'queued')) return 'queued';
  const isCompleted = !suite.expectsMore && runs.every(({ status }) => status === 'completed');
  return isCompleted ? 'completed' : 'in_progress';
}

/** The conclusions of check runs, the one that a suite takes first. */
const CONCLUSIONS: readonly FakeCheckConclusion[] = [
  'failure',
  'startup_failure',
  'timed_out',
  'action_required',
  'stale',
  'cancelled',
  'success',
  'neutral',
  'skipped',
];

export function suiteConclusionOf(repository: FakeRepository, suite: FakeCheckSuite): FakeCheckConclusion | null {
  if (suiteStatusOf(repository, suite) !== 'completed') return null;
  const runs = listSuiteRuns(repository, suite.id);
  return CONCLUSIONS.find((wanted) => runs.some(({ conclusion }) => conclusion === wanted)) ?? null;
}

/** The status of each context of a commit, newest first. */
export function listLatestStatuses({ statuses }: FakeRepository, sha: Sha): readonly FakeCommitStatus[] {
  const own = statuses.filter((status) => status.sha === sha);
  return [...new Map(own.map((status) => [status.context, status])).values()].toReversed();
}

/** GitHub's word for all statuses of a commit; `pending` for none. */
export function combinedStateOf(latest: readonly FakeCommitStatus[]): FakeStatusState {
  if (latest.some(({ state }) => state === 'error' || state === 'failure')) return 'failure';
  return latest.length > 0 && latest.every(({ state }) => state === 'success') ? 'success' : 'pending';
}

/** The open pull requests with this head in the repository itself: check runs name no pull request of a fork. */
export function listPullsAt(repository: FakeRepository, sha: Sha): readonly FakePullRequest[] {
  return [...repository.pulls.values()].filter(
    ({ state, head }) => state === 'open' && head.sha === sha && head.repositoryId === repository.id,
  );
}
