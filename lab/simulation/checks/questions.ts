import type { CaseCheck } from './evidence.ts';

/** S114: a question is answered once, and has no other state after that. */
export const questionsAreAnsweredOnce: CaseCheck = ({ saved }) => {
  const answered = new Set<string>();
  return saved.flatMap(({ saved: { claim, step } }) =>
    step.answers.flatMap(({ questionId }) => {
      const key = `${claim.pullRequestKey} ${questionId}`;
      if (answered.has(key)) return [`S114: the question ${questionId} was answered twice`];
      answered.add(key);
      return [];
    }),
  );
};

/** S118, S121: no question stays open in a run that has ended. */
export const endedRunsAskNothing: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run?.phase.kind !== 'ended') return [];
    const open = run.questions.filter(({ state }) => state === 'asked');
    return open.map(({ id }) => `the question ${id} is open although its run has ended (${step.reason})`);
  });
