import { endSideQuestion, findSideQuestion, keepAnswer } from '../actions/side-questions.ts';
import { addUsage, endStep, noop, type StepBuilder, startStep, withEffects } from '../actions/step-builder.ts';
import { questionAnswered } from '../messages/replies.ts';
import type { TokenUsage } from '../state/conversation.ts';
import type { PullState } from '../state/pull-state.ts';
import type { SideQuestion } from '../state/side-question.ts';
import { isReported } from '../state/spending.ts';
import type { Facts } from '../step/facts.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** Replies to a person's question, keeps the answer, and begins with the next question. */
export function onSideQuestionAnswered(
  pull: PullState,
  { questionId, outcome, usage }: Extract<Signal, { type: 'side-question-answered' }>,
  { now }: Facts,
): Step {
  const question = findSideQuestion(pull, questionId);
  if (question === null) return noop(pull, 'outdated-result');
  const counted = countUsage(startStep(pull), question, usage);
  const reply = questionAnswered(question, outcome);
  if (outcome.kind === 'failed') return endStep(endSideQuestion(counted, question, reply), 'side-question-answered');
  const kept = keepAnswer(counted, question, outcome.content, now);
  return endStep(endSideQuestion(kept, question, reply), 'side-question-answered');
}

/** The run that was there when it was asked shows what it cost. */
function countUsage(builder: StepBuilder, { runId }: SideQuestion, usage: TokenUsage): StepBuilder {
  if (runId === null || builder.pull.run?.id !== runId || !isReported(usage)) return builder;
  return withEffects(addUsage(builder, usage), { type: 'update-run-comment', runId });
}
