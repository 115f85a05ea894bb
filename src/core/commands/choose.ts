import type { CommandNamed } from '../comments/command-grammar.ts';
import type { Step } from '../state/step.ts';
import { onMeantQuestion } from './answer.ts';
import { answerQuestion, replyQuestionHint } from './shared/answer-question.ts';
import type { CommandContext } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { readChoiceNumber } from './shared/read-answer.ts';

export const choose = {
  name: 'choose',
  words: ['choose'],
  syntax: '/choose [<id>] <number>',
  summary: 'answer the agent’s question with one of its choices',
  allowedTo: 'writer',
  argument: 'id-and-number',
  read: ({ targets, text }) => ({ name: 'choose', targets, number: Number(text) }),
  run: runChoose,
} as const satisfies CommandDefinition<'choose'>;

function runChoose(context: CommandContext, { targets, number }: CommandNamed<'choose'>): Step {
  return onMeantQuestion(context, 'choose', targets, (question) => {
    const reading = readChoiceNumber(question.input, number);
    return reading.kind === 'answer'
      ? answerQuestion(context, question, reading.answer)
      : replyQuestionHint(context, question, reading.hint);
  });
}
