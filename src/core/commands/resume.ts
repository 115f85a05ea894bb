import { runContinueNeeds } from '../actions/fact-needs.ts';
import { endStep, startStep } from '../actions/step-builder.ts';
import { buildResumedMessage } from '../agent/messages.ts';
import type { CommandNamed } from '../comments/command-line.ts';
import { notResumable } from '../messages/replies.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { isResumable, type Run } from '../state/run.ts';
import type { Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  type CommentContext,
  endWithReply,
  refuseToRun,
} from './shared/context.ts';
import { continueRun, withWords } from './shared/words-for-agent.ts';

export const resume = {
  name: 'resume',
  words: ['resume'],
  syntax: '/resume',
  summary:
    'continue a run that ended because the agent failed, reached its limits or waited too long for a decision; lines below are a note for the agent',
  allowedTo: 'writer',
  read: ({ rest, below }) => (rest === '' ? { name: 'resume', text: below.trim() } : null),
  needs: {
    condition: 'a run can be resumed',
    kinds: ['missing-permissions', 'pull-request', 'settings', 'run-limit'],
    next: needsToResume,
  },
  run: runResume,
} as const satisfies CommandDefinition<'resume'>;

function needsToResume({ pull, intent, facts }: CommentContext): readonly Need[] {
  return typeof findResumableRun(pull, intent.createdAt) === 'string' ? [] : runContinueNeeds(facts, intent.actor);
}

/** The run that a `/resume` written at that time continues, or why there is none. */
export function findResumableRun(pull: PullState, createdAt: string): Run | Parameters<typeof notResumable>[0] {
  const { run } = pull;
  if (activeRun(pull) !== null || pull.queue.length > 0) return 'run-active';
  if (run === null || run.phase.kind !== 'ended' || !isResumable(run.phase.reason)) return 'no-resumable-run';
  // GitHub's times are whole seconds, so that a comment of the same second does not count as later.
  const endedAt = Math.floor(Date.parse(run.phase.at) / 1000) * 1000;
  return Date.parse(createdAt) > endedAt ? run : 'written-before-end';
}

function runResume(context: CommandContext, { text }: CommandNamed<'resume'>): Step {
  const { pull, facts, intent, person } = context;
  const run = findResumableRun(pull, intent.createdAt);
  if (typeof run === 'string') return endWithReply(context, notResumable(run), 'resume-refused');
  const refusal = refuseToRun(context);
  if (refusal !== null) return refusal;
  const spoken = run.lastResumption?.spoken ?? null;
  const resumption = { by: person, requestedAt: intent.createdAt, spoken };
  const acknowledged = acknowledge(withWords(startStep(pull), context, text), context);
  return endStep(continueRun(acknowledged, resumption, [buildResumedMessage(person)], facts), 'resumed');
}
