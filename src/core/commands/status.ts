import { readAlone } from '../comments/command-line.ts';
import { turnOf } from '../state/proposal.ts';
import { decidingVotes, isOpen, isPending } from '../state/proposal-lifecycle.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { distinctPeople } from '../state/vote.ts';
import type { RunActivity } from '../step/replies.ts';
import { proposalLink, questionLink } from '../step/reply-links.ts';
import type { Step } from '../step/step.ts';
import { findResumableRun } from './resume.ts';
import { type CommandContext, endWithInfo } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findOpenQuestion } from './shared/question-targets.ts';

export const status = {
  name: 'status',
  words: ['status'],
  syntax: '/status',
  summary: 'show what the run is doing, with a link to every pending change',
  allowedTo: 'writer-or-author',
  read: readAlone({ name: 'status' }),
  run: runStatus,
} as const satisfies CommandDefinition<'status'>;

function runStatus(context: CommandContext): Step {
  const { pull, intent } = context;
  const open = findOpenQuestion(pull);
  return endWithInfo(context, {
    kind: 'status',
    pending: pull.proposals.filter(isPending).map(proposalLink),
    question: open === null ? null : questionLink(open),
    activity: activityOf(pull),
    queuedTasks: pull.queue.length,
    pendingSideQuestions: pull.sideQuestions.length,
    canResume: typeof findResumableRun(pull, intent.createdAt) !== 'string',
  });
}

function activityOf(pull: PullState): RunActivity | null {
  const run = activeRun(pull);
  if (run === null) return null;
  const { phase } = run;
  const isWaiting = phase.kind === 'awaiting-decisions';
  const batch = pull.proposals.filter((one) => isWaiting && one.runId === run.id && turnOf(one) === phase.turn);
  const decided = batch.filter((one) => !isOpen(one));
  const deciders = distinctPeople(decided.flatMap((one) => decidingVotes(one).map(({ by }) => by)));
  return { phase, url: run.comment?.url ?? null, decided: decided.length, proposed: batch.length, deciders };
}
