import type { Step } from '../../../src/core/step/step.ts';
import { type Mutant, overridePulls, overrideStore } from './mutant.ts';

/** The answer to a question as if it were one of the run. */
function giveAnswerToRun(step: Step): Step {
  const { run } = step.pull;
  if (step.reason !== 'side-question-answered' || run?.phase.kind !== 'awaiting-decisions') return step;
  const { turn } = run.phase;
  return {
    ...step,
    pull: { ...step.pull, run: { ...run, phase: { kind: 'running-tools', turn } } },
    effects: [...step.effects, { type: 'run-tools', runId: run.id, turn, calls: [] }],
  };
}

/** Mistakes in people's questions. */
export const SIDE_QUESTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'questions-propose',
    brokenPromise: 'a person’s question never leads to a proposal or a commit',
    createOverrides: () =>
      overrideStore(({ save }) => ({
        save: (claim, signal, step, now) => save(claim, signal, giveAnswerToRun(step), now),
      })),
  },
  {
    name: 'questions-forgotten',
    brokenPromise: 'each question of a person is answered',
    createOverrides: () => overridePulls((pull) => ({ ...pull, sideQuestions: pull.sideQuestions.slice(0, 1) })),
  },
];
