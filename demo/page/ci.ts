import type { FakeGitHub } from '../../fakes/github/fake-github.ts';
import { readBlobText, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../fakes/github/git/trees.ts';
import type { UpdateCheckRunInput } from '../../fakes/github/operations/inputs.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakeActor } from '../../fakes/github/state/github-state.ts';
import { demoPullOf, type PullAddress } from '../pull-request.ts';
import type { SceneTest } from '../scenes/scenes.ts';

/** How long the job takes (ms): long enough to see it run. */
const JOB_MS = 2_500;

/** How often a job that could end looks for an agent at work (ms). It ends afterwards, or the agent sees a failure late. */
const AGENT_MS = 250;

/** Stands in for GitHub Actions: one job for each head of a pull request. */
export type Ci = {
  /** Begins the job where the head is new. */
  readonly look: (address: PullAddress, test: SceneTest, isAgentAtWork: () => boolean) => void;
  readonly stop: () => void;
};

export function createCi(github: FakeGitHub): Ci {
  const known = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, isAgentAtWork: () => boolean, end: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (isAgentAtWork()) later(AGENT_MS, isAgentAtWork, end);
      else end();
    }, ms);
    timers.add(timer);
  };
  let actor: FakeActor | null = null;
  return {
    look: (address, test, isAgentAtWork) => {
      const { sha } = demoPullOf(github, address).head;
      if (known.has(sha)) return;
      known.add(sha);
      actor ??= addActions(github);
      const target = { actor, repositoryId: address.repositoryId };
      const created = { ...target, name: test.name, headSha: sha, status: 'in_progress' } as const;
      const { id: checkRunId } = github.apply(OPERATIONS.createCheckRun, created);
      later(JOB_MS, isAgentAtWork, () => {
        github.apply(OPERATIONS.updateCheckRun, { ...target, checkRunId, ...outcomeOf(github, sha, test) });
      });
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
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
