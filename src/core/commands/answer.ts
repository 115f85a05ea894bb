import type { CommandNamed } from '../comments/command-grammar.ts';
import type { Targets } from '../state/intent.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Step } from '../step/step.ts';
import { answerWithWords } from './shared/answer-question.ts';
import { type CommandContext, endWithReply } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findAnsweredQuestion, findOpenQuestion, findQuestionById } from './shared/question-targets.ts';

export const answer = {
  name: 'answer',
  words: ['answer'],
  syntax: '/answer [<id>] <text>',
  summary: 'answer the agent’s question; a reply to the question does the same',
  allowedTo: 'writer',
  argument: 'id-and-text',
  read: ({ targets, text, fullText }) => ({ name: 'answer', targets, text, fullText }),
  run: runAnswer,
} as const satisfies CommandDefinition<'answer'>;

function runAnswer(context: CommandContext, { targets, text, fullText }: CommandNamed<'answer'>): Step {
  // In a reply to the question, a first word that only looks like an id is part of the answer.
  const words = findQuestionById(context.pull, targets) === null ? fullText : text;
  return onMeantQuestion(context, 'answer', targets, (question) => answerWithWords(context, question, words));
}

/** Runs `act` on the question that a command means by its id, its location, or because no other is open. */
export function onMeantQuestion(
  context: CommandContext,
  command: 'answer' | 'choose',
  targets: Targets,
  act: (question: AgentQuestion) => Step,
): Step {
  const { pull, commentRef } = context;
  const [id = null] = targets.by === 'ids' ? targets.ids : [];
  const meant = findQuestionById(pull, targets) ?? findAnsweredQuestion(pull, commentRef);
  const isElsewhere = commentRef.location.at === 'thread' || commentRef.quote !== null;
  const question = meant ?? (id === null && !isElsewhere ? findOpenQuestion(pull) : null);
  return question === null
    ? endWithReply(context, { kind: 'no-question', command, id }, 'nothing-pending')
    : act(question);
}
