import type { AgentQuestion } from '../../../src/core/state/question.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { type Mutant, mutant, type Overrides, overridePulls, overrideSteps } from './mutant.ts';

function overrideQuestions(change: (question: AgentQuestion) => AgentQuestion): Overrides {
  return overridePulls((pull) => ({
    ...pull,
    run: pull.run && { ...pull.run, questions: pull.run.questions.map(change) },
  }));
}

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

/** Mistakes in what a run tells and asks, and in people's own questions. */
export const RUN_MUTANTS: readonly Mutant[] = [
  mutant('notes-forgotten', 'the model receives every note that people write to a run', () =>
    overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, agentNotes: [] } })),
  ),
  mutant('results-before-pushes', 'the results of a run come with the note about each push before them', () =>
    overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, unreadPushes: [] } })),
  ),
  mutant('questions-answered-twice', 'a question of the agent is answered once', () =>
    overrideQuestions((one) => (one.state === 'answered' ? { ...one, state: 'asked', answer: null } : one)),
  ),
  mutant('questions-propose', 'a person’s question never leads to a proposal or a commit', () =>
    overrideSteps(giveAnswerToRun),
  ),
  mutant('questions-forgotten', 'each question of a person is answered', () =>
    overridePulls((pull) => ({ ...pull, sideQuestions: pull.sideQuestions.slice(0, 1) })),
  ),
];
