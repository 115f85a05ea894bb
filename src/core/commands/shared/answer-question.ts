import { wasAskedBefore } from '../../actions/close-question.ts';
import { recordAnswer } from '../../actions/questions.ts';
import { endStep, startStep } from '../../actions/step-builder.ts';
import { advanceBatch } from '../../actions/tool-batch.ts';
import { cleanText } from '../../agent/shared/clean-text.ts';
import { questionClosed, questionHint } from '../../messages/question-comment.ts';
import { type AgentQuestion, type AnswerRecord, isAnswerable, type QuestionAnswer } from '../../state/question.ts';
import type { Step } from '../../step/step.ts';
import { acknowledge, type CommandContext, endWithReply } from './context.ts';
import { noteOf, readAnswer } from './read-answer.ts';

/** Takes a person's words as the answer, or replies how to answer. */
export function answerWithWords(context: CommandContext, question: AgentQuestion, words: string): Step {
  const reading = readAnswer(question.input, cleanText(words));
  return reading === null
    ? replyHowToAnswer(context, question)
    : answerQuestion(context, question, reading.answer, reading.note);
}

/** Stores an answer, exactly once (S114). A comment that was written before the question is none. */
export function answerQuestion(
  context: CommandContext,
  question: AgentQuestion,
  answer: QuestionAnswer,
  note: string | null,
): Step {
  const { pull, intent, facts } = context;
  if (!isAnswerable(question)) return endWithReply(context, questionClosed(question), 'already-decided');
  if (!wasAskedBefore(question, intent.createdAt)) return replyHowToAnswer(context, question);
  const acknowledged = acknowledge(startStep(pull), context);
  const recorded = recordAnswer(acknowledged, question, createRecord(context, question, { answer, note }), facts.now);
  return endStep(advanceBatch(recorded, facts.now), 'question-answered');
}

function createRecord(
  { intent, person, permission, deliveryId, facts, pull }: CommandContext,
  question: AgentQuestion,
  given: Pick<AnswerRecord, 'answer' | 'note'>,
): AnswerRecord {
  const { location, bodyHash } = intent;
  return {
    ...given,
    ...{ questionId: question.id, digest: question.digest, by: person, permission, bodyHash, deliveryId },
    surface: location.at,
    commentId: location.at === 'review' ? location.reviewId : location.commentId,
    headSha: pull.run?.assessedHeadSha ?? '',
    at: facts.now,
  };
}

/** `/approve` answers an approval, and nothing else. `below` are the lines below it. */
export function approveQuestion(context: CommandContext, question: AgentQuestion, below: string): Step {
  return question.input.type === 'approval' || !isAnswerable(question)
    ? answerQuestion(context, question, { kind: 'approve' }, noteOf(cleanText(below)))
    : replyHowToAnswer(context, question);
}

function replyHowToAnswer(context: CommandContext, question: AgentQuestion): Step {
  return endWithReply(context, questionHint(question), 'malformed-command');
}
