import { isPending } from '../state/proposal.ts';
import { proposalLink, questionLink } from '../state/replies.ts';
import { activeRun } from '../state/run.ts';
import type { Step } from '../state/step.ts';
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
  argument: 'nothing',
  read: () => ({ name: 'status' }),
  run: runStatus,
} as const satisfies CommandDefinition<'status'>;

function runStatus(context: CommandContext): Step {
  const { pull, intent } = context;
  const open = findOpenQuestion(pull);
  return endWithInfo(context, {
    kind: 'status',
    pending: pull.proposals.filter(isPending).map(proposalLink),
    question: open === null ? null : questionLink(open),
    running: activeRun(pull) !== null,
    queuedTasks: pull.queue.length,
    pendingSideQuestions: pull.sideQuestions.length,
    canResume: typeof findResumableRun(pull, intent.createdAt) !== 'string',
  });
}
