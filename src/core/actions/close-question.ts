import { isOpen } from '../state/proposal.ts';
import { type AgentQuestion, isAnswerable, nextQuestion } from '../state/question.ts';
import { type StepBuilder, withEffects, withRun } from './step-builder.ts';

export function withQuestion(builder: StepBuilder, question: AgentQuestion): StepBuilder {
  const questions = builder.pull.run?.questions ?? [];
  return withRun(builder, { questions: questions.map((one) => (one.id === question.id ? question : one)) });
}

/** Gives a question its final state, and shows it on its comment. */
export function closeQuestion(
  builder: StepBuilder,
  question: AgentQuestion,
  result: Pick<AgentQuestion, 'state'> & Partial<Pick<AgentQuestion, 'answer' | 'note' | 'by' | 'problem'>>,
): StepBuilder {
  return queueQuestionUpdate(withQuestion(builder, { ...question, ...result }), question);
}

/** Updates the question's comment if it is posted. */
export function queueQuestionUpdate(builder: StepBuilder, { id, runId, comment }: AgentQuestion): StepBuilder {
  return comment === null ? builder : withEffects(builder, { type: 'update-question-comment', runId, questionId: id });
}

/** Cancels the open questions of the run. `problem` tells people why. */
export function cancelQuestions(builder: StepBuilder, problem: string): StepBuilder {
  return openQuestions(builder).reduce(
    (next, one) => closeQuestion(next, one, { state: 'cancelled', problem }),
    builder,
  );
}

/** Those that nobody answered yet, asked or not. */
export function openQuestions({ pull }: StepBuilder): readonly AgentQuestion[] {
  return pull.run?.questions.filter(({ state }) => state === 'asked') ?? [];
}

/**
 * Posts the next question once no change of its response is open. The run comment shows before that the run is waiting
 * (S119).
 */
export function postNextQuestion(builder: StepBuilder): StepBuilder {
  const { proposals, run } = builder.pull;
  const next = nextQuestion(run?.questions ?? []);
  if (next === null || proposals.some((one) => isOpen(one) && one.runId === next.runId && one.origin.kind === 'call'))
    return builder;
  const { runId, id: questionId, call } = next;
  const due = withQuestion(builder, { ...next, isDue: true });
  return withEffects(
    due,
    { type: 'update-run-comment', runId },
    { type: 'post-question', runId, turn: call.turn, questionId },
  );
}

/** Whether a question was posted before this time. GitHub's times are whole seconds; the same second is not before. */
export function wasAskedBefore(question: AgentQuestion, createdAt: string): boolean {
  return isAnswerable(question) && Date.parse(question.comment?.createdAt ?? '') < Date.parse(createdAt);
}
