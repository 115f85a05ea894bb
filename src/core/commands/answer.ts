import { wasAskedBefore } from '../actions/close-question.ts';
import { recordAnswer } from '../actions/questions.ts';
import { endStep, startStep } from '../actions/step-builder.ts';
import { advanceBatch } from '../actions/tool-batch.ts';
import { foldChoice } from '../agent/question-texts.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import { type CommandNamed, readTargetsAndText } from '../comments/command-line.ts';
import { questionClosed, questionHint } from '../messages/question-comment.ts';
import { nothingPending } from '../messages/replies.ts';
import {
  type AgentQuestion,
  type AnswerRecord,
  isAnswerable,
  type QuestionAnswer,
  type QuestionInput,
} from '../state/question.ts';
import type { Step } from '../step/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  endWithHint,
  endWithReply,
} from './shared/context.ts';
import { findAnsweredQuestion, findOpenQuestion, findQuestionById } from './shared/targets.ts';

export const answer = {
  name: 'answer',
  words: ['answer', 'choose'],
  syntax: '/answer [<id>] <text>',
  summary:
    'answer the agent’s question with words, or with the number of a choice; a reply to the question does the same',
  allowedTo: 'writer',
  read: ({ rest, below }) => {
    const answered = readTargetsAndText(rest, below, 1);
    return answered.fullText === '' ? null : { name: 'answer', ...answered };
  },
  run: runAnswer,
} as const satisfies CommandDefinition<'answer'>;

/** Answers the question that the command means by its id, its location, or because no other is open. */
function runAnswer(context: CommandContext, { targets, text, fullText }: CommandNamed<'answer'>): Step {
  const { pull, commentRef } = context;
  const [id = null] = targets.by === 'ids' ? targets.ids : [];
  const named = findQuestionById(pull, targets);
  const meant = named ?? findAnsweredQuestion(pull, commentRef);
  const isElsewhere = commentRef.location.at === 'thread' || commentRef.quote !== null;
  const question = meant ?? (id === null && !isElsewhere ? findOpenQuestion(pull) : null);
  if (question === null) return endWithReply(context, nothingPending('answer'), 'nothing-pending');
  // In a reply to the question, a first word that only looks like an id is part of the answer.
  return answerWithWords(context, question, named === null ? fullText : text);
}

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
    headSha: pull.run?.assessed.headSha ?? '',
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
  return endWithHint(context, `question ${question.id}`, questionHint(question));
}

/** The answer in a person's words below a question, with a note. */
type AnswerReading = { readonly answer: QuestionAnswer; readonly note: string | null };

/**
 * Reads words as an answer; null if they are none (S120). An approval takes commands only, and a choice one of its
 * numbers or texts.
 */
export function readAnswer(input: QuestionInput, words: string): AnswerReading | null {
  const text = words.trim();
  if (text === '' || input.type === 'approval') return null;
  return input.type === 'choice'
    ? readChoiceAndNote(input.choices, text)
    : { answer: { kind: 'text', value: text }, note: null };
}

/** The first line answers, and the lines below it are a note. If one of them is another choice, either could be meant. */
function readChoiceAndNote(choices: readonly string[], text: string): AnswerReading | null {
  const whole = readChoice(choices, text);
  if (whole !== null) return { answer: whole, note: null };
  const [first = '', ...below] = text.split('\n');
  const answer = readChoice(choices, first);
  const others = below.flatMap((line) => readChoice(choices, line) ?? []);
  const isUnclear = answer === null || others.some(({ index }) => index !== answer.index);
  return isUnclear ? null : { answer, note: noteOf(below.join('\n')) };
}

/** The note in these lines; null if it is empty. */
function noteOf(text: string): string | null {
  const note = text.trim();
  return note === '' ? null : note;
}

/** A text can be the number of one choice and the text of another. Then it is neither. */
function readChoice(choices: readonly string[], text: string): Extract<QuestionAnswer, { kind: 'choice' }> | null {
  const number = /^\(?(\d{1,3})[.)]?$/.exec(text.trim())?.[1];
  const byNumber = number === undefined ? -1 : Number(number) - 1;
  const byText = choices.findIndex((choice) => foldChoice(choice) === foldChoice(text));
  const meant = [byNumber, byText].filter((index) => choices[index] !== undefined);
  const [index = -1, other = index] = meant;
  const value = choices[index];
  return value === undefined || other !== index ? null : { kind: 'choice', index, value };
}
