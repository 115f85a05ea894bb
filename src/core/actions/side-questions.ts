import type { Reply } from '../../lib/trust.ts';
import { excerptOf } from '../agent/shared/clean-text.ts';
import { questionAnswered } from '../messages/replies.ts';
import type { TokenUsage } from '../state/conversation.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { type AnsweredQuestion, SIDE_QUESTION_LIMITS, type SideQuestion } from '../state/question.ts';
import { isAnswering } from '../state/run.ts';
import { isReported } from '../state/spending.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { questionNote, withNote } from './agent-notes.ts';
import {
  addUsage,
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withReply,
} from './step-builder.ts';

/** The unanswered question with this id; null if it is over. */
export function findSideQuestion({ sideQuestions }: PullState, id: string): SideQuestion | null {
  return sideQuestions.find((one) => one.id === id) ?? null;
}

/** Ends a question with a reply, or without one where its comment is gone. */
function endSideQuestion(builder: StepBuilder, { id, location }: SideQuestion, reply: Reply | null): StepBuilder {
  const left = setSideQuestions(
    builder,
    builder.pull.sideQuestions.filter((one) => one.id !== id),
  );
  return reply === null ? left : withReply(left, location, reply);
}

/** The model works on the first question only, and begins with it once it is the first. */
export function setSideQuestions(builder: StepBuilder, sideQuestions: readonly SideQuestion[]): StepBuilder {
  const [before] = builder.pull.sideQuestions;
  const [first] = sideQuestions;
  const changed = withPullState(builder, { sideQuestions });
  return first === undefined || first.id === before?.id
    ? changed
    : withEffects(changed, { type: 'answer-side-question', questionId: first.id });
}

/** Keeps the answer for the next questions and runs. The run that is there hears one line of it. */
function keepAnswer(builder: StepBuilder, question: SideQuestion, content: string | null, now: string): StepBuilder {
  const { kept, keptQuestionBytes, keptAnswerBytes } = SIDE_QUESTION_LIMITS;
  const answered: AnsweredQuestion = {
    by: question.by,
    question: excerptOf(question.text, keptQuestionBytes),
    answer: excerptOf(content ?? '', keptAnswerBytes),
    answeredAt: now,
  };
  const answeredQuestions = [...builder.pull.answeredQuestions, answered].slice(-kept);
  const stored = withPullState(builder, { answeredQuestions });
  return canHear(builder.pull) ? withNote(stored, questionNote(answered)) : stored;
}

/** Whether the last run goes on, or might go on with people's words. A later one hears of the kept answers. */
function canHear(pull: PullState): boolean {
  const { run } = pull;
  return activeRun(pull) !== null || (run?.phase.kind === 'ended' && isAnswering(run.phase.reason));
}

/** Replies to a person's question, keeps the answer, and begins with the next question. */
export function onSideQuestionAnswered(
  pull: PullState,
  { questionId, outcome, usage }: SignalOf<'side-question-answered'>,
  { now }: Facts,
): Step {
  const question = findSideQuestion(pull, questionId);
  if (question === null) return noop(pull, 'outdated-result');
  const counted = countUsage(startStep(pull), question, usage);
  const reply = questionAnswered(question, outcome, pull.proposals);
  if (outcome.kind === 'failed') return endStep(endSideQuestion(counted, question, reply), 'side-question-answered');
  const kept = keepAnswer(counted, question, outcome.content, now);
  return endStep(endSideQuestion(kept, question, reply), 'side-question-answered');
}

/** The run that was there when it was asked shows what it cost. */
function countUsage(builder: StepBuilder, { runId }: SideQuestion, usage: TokenUsage): StepBuilder {
  if (runId === null || builder.pull.run?.id !== runId || !isReported(usage)) return builder;
  return withEffects(addUsage(builder, usage), { type: 'update-run-comment', runId });
}
