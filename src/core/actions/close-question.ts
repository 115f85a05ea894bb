import { type AgentQuestion, isAnswerable } from '../state/question.ts';
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
  const open = builder.pull.run?.questions.filter(({ state }) => state === 'asked') ?? [];
  return open.reduce((next, one) => closeQuestion(next, one, { state: 'cancelled', problem }), builder);
}

/** Whether a question was posted before this time. GitHub's times are whole seconds; the same second is not before. */
export function wasAskedBefore(question: AgentQuestion, createdAt: string): boolean {
  return isAnswerable(question) && Date.parse(question.comment?.createdAt ?? '') < Date.parse(createdAt);
}
