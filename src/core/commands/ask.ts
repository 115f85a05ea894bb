import { withNote } from '../actions/agent-notes.ts';
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
import { cleanText, excerptOf } from '../agent/shared/clean-text.ts';
import type { CommandNamed } from '../comments/command-grammar.ts';
import type { CommentLocation } from '../state/intent.ts';
import type { Reply } from '../state/replies.ts';
import { activeRun, type PullState, type SideQuestion } from '../state/run.ts';
import type { SideQuestionResult, Signal } from '../state/signals.ts';
import type { Step } from '../state/step.ts';
import { CONTEXT_LIMITS } from '../state/task-context.ts';
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
const MAX_SIDE_QUESTIONS = 10;

/** Sends questions to the model one after the other. The run hears one line of each once it is answered. */
function runAsk(context: CommandContext, { text }: CommandNamed<'ask'>): Step {
  const { pull, intent, person } = context;
  if (pull.run === null) return endWithReply(context, { kind: 'no-run', command: 'ask' }, 'no-run');
  if (pull.sideQuestions.length >= MAX_SIDE_QUESTIONS)
    return endWithReply(
      context,
      { kind: 'side-question-queue-full', max: MAX_SIDE_QUESTIONS },
      'side-question-queue-full',
    );
  const question: SideQuestion = {
    runId: pull.run.id,
    by: person,
    text: cleanText(text).text,
    location: intent.location,
  };
  const queued = withPullState(startStep(pull), { sideQuestions: [...pull.sideQuestions, question] });
  const acknowledged = acknowledge(queued, context, 'eyes');
  const isFirst = pull.sideQuestions.length === 0;
  return endStep(
    isFirst ? withEffects(acknowledged, { type: 'ask-side-question', question }) : acknowledged,
    'side-question-queued',
  );
}

/** Replies to the first question, adds its token usage to the run, and sends the next question to the model. */
export function onSideQuestionAnswered(
  pull: PullState,
  signal: Extract<Signal, { type: 'side-question-answered' }>,
): Step {
  const { question, result } = signal;
  const [first, ...rest] = pull.sideQuestions;
  if (first === undefined || locationKey(first.location) !== locationKey(question.location))
    return noop(pull, 'outdated-result');
  const removed = withPullState(startStep(pull), { sideQuestions: rest });
  const replied = withReply(removed, question.location, sideQuestionReply(question, result));
  const counted = result.kind === 'answered' ? countSideQuestion(replied, question, result) : replied;
  const [next] = rest;
  return endStep(
    next === undefined ? counted : withEffects(counted, { type: 'ask-side-question', question: next }),
    'side-question-answered',
  );
}

function locationKey(location: CommentLocation): string {
  return `${location.at}:${location.at === 'review' ? location.reviewId : location.commentId}`;
}

function sideQuestionReply({ by, text: question }: SideQuestion, result: SideQuestionResult): Reply {
  return result.kind === 'answered'
    ? { kind: 'side-question-answered', by, question, content: result.content }
    : { kind: 'side-question-failed', by, question, message: result.message };
}

function countSideQuestion(
  builder: StepBuilder,
  question: SideQuestion,
  result: Extract<SideQuestionResult, { kind: 'answered' }>,
): StepBuilder {
  const { run } = builder.pull;
  if (run === null || run.id !== question.runId) return builder;
  const counted = withRun(addUsage(builder, result.usage), { sideQuestionCount: run.sideQuestionCount + 1 });
  const { by, text } = question;
  const answer = excerptOf(result.content ?? '', CONTEXT_LIMITS.noteLine);
  const note = { kind: 'question', by, question: excerptOf(text, CONTEXT_LIMITS.noteLine), answer } as const;
  const noted = activeRun(builder.pull) === null ? counted : withNote(counted, note);
  return withEffects(noted, { type: 'update-run-comment', runId: run.id });
}
