import { cleanText } from '../agent/shared/clean-text.ts';
import type { CommandNamed } from '../comments/command-grammar.ts';
import type { Step } from '../step/step.ts';
import { onMeantQuestion } from './answer.ts';
import { takeAnswer } from './shared/answer-question.ts';
import type { CommandContext } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { readChoiceNumber } from './shared/read-answer.ts';

export const choose = {
  name: 'choose',
  words: ['choose'],
  syntax: '/choose [<id>] <number>',
  summary: 'answer the agent’s question with one of its choices; lines below are a note for the agent',
  allowedTo: 'writer',
  argument: 'id-and-number',
  read: ({ targets, text, below }) => ({ name: 'choose', targets, number: Number(text), note: below }),
  run: runChoose,
} as const satisfies CommandDefinition<'choose'>;

function runChoose(context: CommandContext, { targets, number, note }: CommandNamed<'choose'>): Step {
  return onMeantQuestion(context, 'choose', targets, (question) =>
    takeAnswer(context, question, readChoiceNumber(question.input, number, cleanText(note).text)),
  );
}
