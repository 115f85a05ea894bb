import { cancelUndos, endRun, openUndos, tasksRequestedBy } from '../actions/end-run.ts';
import { endStep, startStep, withPullState, withReply } from '../actions/step-builder.ts';
import { readAlone } from '../comments/command-line.ts';
import { nothingPending } from '../messages/replies.ts';
import { queueDropped } from '../messages/run-ended.ts';
import { activeRun } from '../state/pull-state.ts';
import type { Step } from '../step/step.ts';
import { acknowledge, type CommandContext, type CommandDefinition, endWithReply } from './shared/context.ts';

export const stop = {
  name: 'stop',
  words: ['stop'],
  syntax: '/stop',
  summary: 'stop the run; pending changes are cancelled, queued tasks dropped',
  allowedTo: 'writer-or-author',
  read: readAlone({ name: 'stop' }),
  run: runStop,
} as const satisfies CommandDefinition<'stop'>;

/** Stops a run, and drops queued tasks, that were requested before the command or in the same second. */
function runStop(context: CommandContext): Step {
  const { pull, intent, facts, person } = context;
  const run = activeRun(pull);
  const isRequestedBefore = run !== null && Date.parse(run.task.requestedAt) <= Date.parse(intent.createdAt);
  if (!isRequestedBefore) return dropQueuedTasks(context);
  const ending = { reason: 'stopped', by: person, note: null } as const;
  const acknowledged = acknowledge(startStep(pull), context);
  return endStep(endRun(acknowledged, ending, facts.now, intent.createdAt), 'stopped');
}

/** Without a run to stop, queued tasks and undos can still be cancelled. */
function dropQueuedTasks(context: CommandContext): Step {
  const { pull, intent, facts } = context;
  const dropped = tasksRequestedBy(pull, intent.createdAt);
  if (dropped.length === 0 && openUndos(pull, intent.createdAt).length === 0)
    return endWithReply(context, nothingPending('stop'), 'no-run');
  const withoutTasks = withPullState(startStep(pull), { queue: pull.queue.filter((task) => !dropped.includes(task)) });
  const withoutUndos = cancelUndos(withoutTasks, 'stopped', facts.now, intent.createdAt);
  const acknowledged = acknowledge(withoutUndos, context);
  if (dropped.length === 0) return endStep(acknowledged, 'stopped');
  return endStep(withReply(acknowledged, intent.location, queueDropped(dropped)), 'stopped');
}
