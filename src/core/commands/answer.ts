import { type CommandNamed, readTargetsAndText } from '../comments/command-line.ts';
import { nothingPending } from '../messages/replies.ts';
import type { Step } from '../step/step.ts';
import { answerWithWords } from './shared/answer-question.ts';
import { type CommandContext, endWithReply } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findAnsweredQuestion, findOpenQuestion, findQuestionById } from './shared/question-targets.ts';

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
