import type { UpdateCheckRunInput } from '../../../fakes/github/operations/inputs.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { FakeActor, FakeCheckConclusion, FakeStatusState } from '../../../fakes/github/state/github-state.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

type Output = Pick<UpdateCheckRunInput, 'log' | 'annotations' | 'output'>;

/** GitHub Actions and an older CI, on the head of a story's pull request unless another commit is named. */
export type Ci = {
  /** Begins a job of one workflow. */
  readonly begins: (name: string, sha?: string) => Promise<void>;
  /** Ends a job, which begins first where it has not. */
  readonly ends: (name: string, conclusion: FakeCheckConclusion, output?: Output, sha?: string) => Promise<void>;
  readonly reports: (context: string, state: FakeStatusState, sha?: string) => Promise<void>;
  /** GitHub makes one for each App at each push. */
  readonly opensEmptySuite: () => Promise<void>;
};

export function ciOf(stage: Stage, { pr }: Pick<Story, 'pr'>): Ci {
  const { github } = stage;
  const target = () => ({ actor: actorOf(stage), repositoryId: pr.repositoryId });
  const runOf = (name: string, sha: string) =>
    [...pr.repository().checkRuns.values()].findLast(
      (run) => run.name === name && run.headSha === sha && run.status !== 'completed',
    );
  const begin = (name: string, sha: string) =>
    runOf(name, sha) ?? github.apply(OPERATIONS.createCheckRun, { ...target(), name, headSha: sha });
  return {
    begins: async (name, sha = pr.head()) => {
      begin(name, sha);
      await stage.settle();
    },
    ends: async (name, conclusion, output = {}, sha = pr.head()) => {
      const { id: checkRunId } = begin(name, sha);
      github.apply(OPERATIONS.updateCheckRun, { ...target(), ...output, checkRunId, conclusion });
      await stage.settle();
    },
    reports: async (context, state, sha = pr.head()) => {
      github.apply(OPERATIONS.createCommitStatus, { ...target(), sha, context, state });
      await stage.settle();
    },
    opensEmptySuite: async () => {
      github.apply(OPERATIONS.openCheckSuite, { ...target(), headSha: pr.head() });
      await stage.settle();
    },
  };
}

function actorOf({ github }: Stage): FakeActor {
  const slug = 'github-actions';
  const known = [...github.state().apps.values()].find((app) => app.slug === slug);
  const { ownerId = 0 } = github.state().apps.get(github.app.id) ?? {};
  const app = known ?? github.apply(OPERATIONS.addApp, { slug, ownerId, permissions: { checks: 'write' }, events: [] });
  return { accountId: app.botId, viaAppId: app.id };
}
