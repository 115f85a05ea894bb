import { pluralize } from '../../lib/format.ts';
import { setSideQuestions } from '../actions/side-questions.ts';
import { endStep, startStep } from '../actions/step-builder.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import { readText } from '../comments/command-line.ts';
import { changeDiff, pathsOf } from '../edits/change.ts';
import { queueFull } from '../messages/replies.ts';
import { locationId } from '../state/intent.ts';
import type { Proposal } from '../state/proposal.ts';
import { type AskedChange, SIDE_QUESTION_LIMITS, type SideQuestion } from '../state/question.ts';
import type { Step } from '../step/step.ts';
import { acknowledge, type CommandContext, type CommandDefinition, endWithReply } from './shared/context.ts';
import { findAnsweredProposal } from './shared/targets.ts';
import { readableDiff } from './shared/words-for-agent.ts';

export const ask = {
  name: 'ask',
  words: ['ask'],
  syntax: '/ask <question>',
  summary: 'ask the agent a question; it can read for it, and decides and changes nothing',
  allowedTo: 'writer',
  read: ({ rest, below }) => readText('ask', rest, below),
  run: (context, { text }) => requestAnswer(context, text),
} as const satisfies CommandDefinition<'ask'>;

/** Queues a question. The model answers one after the other, also where no run ever was. */
export function requestAnswer(context: CommandContext, text: string): Step {
  const { pull, intent, person } = context;
  const { pending } = SIDE_QUESTION_LIMITS;
  if (pull.sideQuestions.length >= pending)
    return endWithReply(context, queueFull('question', pluralize(pending, 'question')), 'queue-full');
  const proposal = findAnsweredProposal(pull, intent);
  const question: SideQuestion = {
    id: locationId(intent.location),
    by: person,
    text: cleanText(text),
    quote: proposal === null ? intent.quote : null,
    location: intent.location,
    requestedAt: intent.createdAt,
    runId: pull.run?.id ?? null,
    askedChange: proposal === null ? null : describeAskedChange(proposal, context),
  };
  const acknowledged = acknowledge(startStep(pull), context, 'eyes');
  return endStep(setSideQuestions(acknowledged, [...pull.sideQuestions, question]), 'queued');
}

function describeAskedChange({ change, state }: Proposal, context: CommandContext): AskedChange {
  const isShort = (changeDiff(change)?.length ?? 0) <= SIDE_QUESTION_LIMITS.changeDiffCharacters;
  return { paths: pathsOf(change), state, diff: isShort ? readableDiff(context, change) : null };
}
