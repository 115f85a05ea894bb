import {
  addUsage,
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withReply,
  withRun,
} from '../actions/step-builder.ts';
import { cleanText } from '../agent/messages.ts';
import type { CommandNamed } from '../comments/command-grammar.ts';
import type { TokenUsage } from '../state/conversation.ts';
import type { CommentLocation } from '../state/intent.ts';
import type { Reply } from '../state/replies.ts';
import type { PullState, Question } from '../state/run.ts';
import type { QuestionResult, Signal } from '../state/signals.ts';
import type { Step } from '../state/step.ts';
import { acknowledge, type CommandContext, endWithReply } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';

export const ask = {
  name: 'ask',
  words: ['ask'],
  syntax: '/ask <question>',
  summary: 'ask the agent a question; it answers without tools and decides nothing',
  allowedTo: 'writer',
  argument: 'question',
  read: ({ text }) => ({ name: 'ask', text }),
  run: runAsk,
} as const satisfies CommandDefinition<'ask'>;

/** Unanswered questions on one pull request; each costs a model request with the whole transcript. */
const MAX_QUESTIONS = 10;

/** Sends questions to the model one after the other. Neither question nor answer becomes part of the run. */
function runAsk(context: CommandContext, { text }: CommandNamed<'ask'>): Step {
  const { pull, intent, person } = context;
  if (pull.run === null) return endWithReply(context, { kind: 'no-run', command: 'ask' }, 'no-run');
  if (pull.questions.length >= MAX_QUESTIONS)
    return endWithReply(context, { kind: 'question-queue-full', max: MAX_QUESTIONS }, 'question-queue-full');
  const question: Question = { runId: pull.run.id, by: person, text: cleanText(text).text, location: intent.location };
  const queued = withPullState(startStep(pull), { questions: [...pull.questions, question] });
  const acknowledged = acknowledge(queued, context, 'eyes');
  const isFirst = pull.questions.length === 0;
  return endStep(
    isFirst ? withEffects(acknowledged, { type: 'ask-question', question }) : acknowledged,
    'question-queued',
  );
}

/** Replies to the first question, adds its token usage to the run, and sends the next question to the model. */
export function onQuestionAnswered(pull: PullState, signal: Extract<Signal, { type: 'question-answered' }>): Step {
  const { question, result } = signal;
  const [first, ...rest] = pull.questions;
  if (first === undefined || locationKey(first.location) !== locationKey(question.location))
    return noop(pull, 'outdated-result');
  const removed = withPullState(startStep(pull), { questions: rest });
  const replied = withReply(removed, question.location, questionReply(question, result));
  const counted = result.kind === 'answered' ? countQuestion(replied, question, result.usage) : replied;
  const [next] = rest;
  return endStep(
    next === undefined ? counted : withEffects(counted, { type: 'ask-question', question: next }),
    'question-answered',
  );
}

function locationKey(location: CommentLocation): string {
  return `${location.at}:${location.at === 'review' ? location.reviewId : location.commentId}`;
}

function questionReply({ by, text: question }: Question, result: QuestionResult): Reply {
  return result.kind === 'answered'
    ? { kind: 'question-answered', by, question, content: result.content }
    : { kind: 'question-failed', by, question, message: result.message };
}

function countQuestion(builder: StepBuilder, question: Question, usage: TokenUsage): StepBuilder {
  const { run } = builder.pull;
  if (run === null || run.id !== question.runId) return builder;
  const counted = withRun(addUsage(builder, usage), { questionCount: run.questionCount + 1 });
  return withEffects(counted, { type: 'update-run-comment', runId: run.id });
}
