import { wasAskedBefore } from '../../actions/close-question.ts';
import { recordAnswer } from '../../actions/questions.ts';
import { endStep, startStep, withReply } from '../../actions/step-builder.ts';
import { advanceBatch } from '../../actions/tool-batch.ts';
import { cleanText } from '../../agent/shared/clean-text.ts';
import { type AgentQuestion, type AnswerRecord, isAnswerable, type QuestionAnswer } from '../../state/question.ts';
import type { QuestionHint } from '../../step/refusals.ts';
import { questionLink } from '../../step/reply-links.ts';
import type { Step } from '../../step/step.ts';
import { acknowledge, type CommandContext, endWithReply } from './context.ts';
import { type AnswerReading, noteOf, readAnswer } from './read-answer.ts';

/** Takes a person's words as the answer, or replies why they are none. */
export function answerWithWords(context: CommandContext, question: AgentQuestion, words: string): Step {
  const reading = readAnswer(question.input, cleanText(words).text);
  const step = takeAnswer(context, question, reading);
  if (reading.kind === 'hint') return step;
  const { answer } = reading;
  const mightReject = answer.kind === 'text' && MIGHT_REJECT.has(answer.value.toLowerCase());
  return mightReject && step.reason === 'question-answered'
    ? endStep(withReply(step, context.intent.location, hintReply(question, 'taken-as-text')), step.reason)
    : step;
}

/** Texts that reject in some programs. Here only the command does (K22). */
const MIGHT_REJECT: ReadonlySet<string> = new Set(['r', 'reject']);

/** Stores what a person's words were read as, or replies why they are no answer. */
export function takeAnswer(context: CommandContext, question: AgentQuestion, reading: AnswerReading): Step {
  return reading.kind === 'answer'
    ? answerQuestion(context, question, reading.answer, reading.note)
    : replyQuestionHint(context, question, reading.hint);
}

/** Stores an answer, exactly once (S114). A comment that was written before the question is none. */
export function answerQuestion(
  context: CommandContext,
  question: AgentQuestion,
  answer: QuestionAnswer,
  note: string | null,
): Step {
  const { pull, intent, facts } = context;
  if (!isAnswerable(question)) {
    const reply = { kind: 'question-closed', question: questionLink(question), by: question.by } as const;
    return endWithReply(context, reply, 'already-decided');
  }
  if (!wasAskedBefore(question, intent.createdAt)) return replyQuestionHint(context, question, 'posted-later');
  const acknowledged = acknowledge(startStep(pull), context);
  const recorded = recordAnswer(acknowledged, question, createRecord(context, question, { answer, note }), facts.now);
  return endStep(
    advanceBatch(recorded, facts.now),
    answer.kind === 'reject' ? 'question-rejected' : 'question-answered',
  );
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
  const { type } = question.input;
  if (type === 'approval' || !isAnswerable(question))
    return answerQuestion(context, question, { kind: 'approve' }, noteOf(cleanText(below).text));
  return replyQuestionHint(context, question, type === 'choice' ? 'needs-choice' : 'needs-text');
}

function replyQuestionHint(context: CommandContext, question: AgentQuestion, hint: QuestionHint): Step {
  return endWithReply(context, hintReply(question, hint), 'question-hint');
}

function hintReply(question: AgentQuestion, hint: QuestionHint) {
  return { kind: 'question-hint', question: questionLink(question), hint } as const;
}
