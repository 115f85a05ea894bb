import { readAlone } from '../comments/command-line.ts';
import { statusShown } from '../messages/replies.ts';
import type { Step } from '../step/step.ts';
import { findResumableRun } from './resume.ts';
import { type CommandContext, type CommandDefinition, endWithInfo } from './shared/context.ts';
import { findOpenQuestion } from './shared/targets.ts';

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
  const canResume = typeof findResumableRun(pull, intent.createdAt) !== 'string';
  return endWithInfo(context, statusShown(pull, findOpenQuestion(pull), canResume));
}
