import type { Step } from '../../../src/core/step/step.ts';
import { type Mutant, overridePulls, overrideStore } from './mutant.ts';

/** The calls of a question as if they were those of the run. */
function giveCallsToRun(step: Step): Step {
  const { run } = step.pull;
  const asked = step.effects.find((effect) => effect.type === 'run-side-question-tools');
  if (asked === undefined || run === null || run.phase.kind === 'ended' || run.messageCount === 0) return step;
  const { turn = run.turns, calls: earlier = [] } = run.batch ?? {};
  const calls = asked.calls.map((toolCall) => ({ turn, toolCall, isCut: false }));
  const added = calls.map((call) => ({ ...call, heldPath: null, status: { kind: 'running' } as const }));
  const batch = { turn, assistantText: null, continued: false, calls: [...earlier, ...added] };
  return {
    ...step,
    pull: { ...step.pull, run: { ...run, batch, phase: { kind: 'running-tools', turn } } },
    effects: [...step.effects, { type: 'run-tools', runId: run.id, turn, calls }],
  };
}

/** Mistakes in people's questions. */
export const SIDE_QUESTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'questions-propose',
    brokenPromise: 'a person’s question never leads to a proposal or a commit',
    createOverrides: () =>
      overrideStore(({ save }) => ({
        save: (claim, signal, step, now) => save(claim, signal, giveCallsToRun(step), now),
      })),
  },
  {
    name: 'questions-forgotten',
    brokenPromise: 'each question of a person is answered',
    createOverrides: () => overridePulls((pull) => ({ ...pull, sideQuestions: pull.sideQuestions.slice(0, 1) })),
  },
];
