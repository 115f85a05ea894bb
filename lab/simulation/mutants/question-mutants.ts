import type { AgentQuestion } from '../../../src/core/state/question.ts';
import { type Mutant, type Overrides, overridePulls } from './mutant.ts';

function overrideQuestions(change: (question: AgentQuestion) => AgentQuestion): Overrides {
  return overridePulls((pull) => ({
    ...pull,
    run: pull.run && { ...pull.run, questions: pull.run.questions.map(change) },
  }));
}

/** Mistakes in questions of the agent and their answers. */
export const QUESTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'questions-answered-twice',
    brokenPromise: 'a question of the agent is answered once',
    createOverrides: () =>
      overrideQuestions((one) => (one.state === 'answered' ? { ...one, state: 'asked', answer: null } : one)),
  },
];
