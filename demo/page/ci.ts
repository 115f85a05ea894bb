import type { FakeGitHub } from '../../fakes/github/fake-github.ts';
import { readBlobText, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../fakes/github/git/trees.ts';
import type { UpdateCheckRunInput } from '../../fakes/github/operations/inputs.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakeActor } from '../../fakes/github/state/github-state.ts';
import { demoPullOf, type PullAddress } from '../pull-request.ts';
import type { SceneTest } from '../scenes/scenes.ts';

/** How long one sees the job run (ms). */
const JOB_MS = 2_000;

/** How much longer it takes on the demo's clock (ms): the App looks at no failure before a commit is ten seconds old. */
const REST_MS = 10_000;

/** Looks at the head of a pull request: begins its job where it is new, or ends the job when its time has come. */
type Ci = (address: PullAddress, test: SceneTest, isAgentAtWork: () => boolean) => void;

/** Stands in for GitHub Actions: one job for each head of a pull request. It moves on when it is called. */
export function createCi(github: FakeGitHub, passTime: (ms: number) => void): Ci {
  /** By head; null once a job has ended. */
  const jobs = new Map<string, { readonly checkRunId: number; readonly begunAt: number } | null>();
  let actor: FakeActor | null = null;
  return (address, test, isAgentAtWork) => {
    const { sha } = demoPullOf(github, address).head;
    actor ??= addActions(github);
    const target = { actor, repositoryId: address.repositoryId };
    const job = jobs.get(sha);
    if (job === undefined) {
      const created = { ...target, name: test.name, headSha: sha, status: 'in_progress' } as const;
      const { id: checkRunId } = github.apply(OPERATIONS.createCheckRun, created);
      jobs.set(sha, { checkRunId, begunAt: Date.now() });
    } else if (job !== null && Date.now() - job.begunAt >= JOB_MS && !isAgentAtWork()) {
      // While the agent is at work it would see a failure late.
      jobs.set(sha, null);
      passTime(REST_MS);
      const { checkRunId } = job;
      github.apply(OPERATIONS.updateCheckRun, { ...target, checkRunId, ...outcomeOf(github, sha, test) });
    }
  };
}

function addActions(github: FakeGitHub): FakeActor {
  const { ownerId = 0 } = github.state().apps.get(github.app.id) ?? {};
  const given = { slug: 'github-actions', ownerId, permissions: { checks: 'write' }, events: [] } as const;
  const { id, botId } = github.apply(OPERATIONS.addApp, given);
  return { accountId: botId, viaAppId: id };
}

type Outcome = Omit<UpdateCheckRunInput, 'actor' | 'repositoryId' | 'checkRunId'>;

function outcomeOf(github: FakeGitHub, sha: string, { path, failsOn, log, title }: SceneTest): Outcome {
  const { store } = github.state();
  const lines = readBlobText(store, findTreeEntry(store, readGitCommit(store, sha)?.tree ?? '', path)?.sha).split('\n');
  const line = failsOn === null ? -1 : lines.findIndex((one) => one.includes(failsOn));
  if (line === -1)
    return { conclusion: 'success', output: { title: 'All tests passed', summary: '4 passed' }, log: '4 passed\n' };
  const place = { path, startLine: line + 1, endLine: line + 1 };
  const annotation = { ...place, level: 'failure', message: title, title: null } as const;
  const summary = `1 of 4 failed: ${title}`;
  return { conclusion: 'failure', output: { title, summary }, log, annotations: [annotation] };
}
