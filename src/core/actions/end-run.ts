import type { Reply } from '../../lib/trust.ts';
import { isReading } from '../edits/change.ts';
import { describeEnd, runEnded } from '../messages/run-ended.ts';
import { isBeforeCommit, isOpen, type Proposal, turnOf } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { EndReason, Run, Task } from '../state/run.ts';
import type { Person } from '../state/vote.ts';
import { cancelQuestions } from './close-question.ts';
import {
  type StepBuilder,
  withEffects,
  withProposal,
  withPullState,
  withReply,
  withRun,
  withTransition,
} from './step-builder.ts';

type Ending = { readonly reason: EndReason; readonly by: Person | null; readonly note: string | null };

/** Endings that also drop queued tasks and cancel undos. */
const REASONS_ENDING_EVERYTHING: ReadonlySet<EndReason> = new Set<EndReason>([
  'stopped',
  'closed',
  'merged',
  'commit-mismatch',
  'access-lost',
]);

/**
 * Ends the run, cancels its open proposals, and starts the next task. The requester is told once, where the task or the
 * last words to it were written. An ending that drops queued tasks keeps those requested after `until`.
 */
export function endRun(builder: StepBuilder, ending: Ending, now: string, until: string | null = null): StepBuilder {
  const { run } = builder.pull;
  if (run === null || run.phase.kind === 'ended') return builder;
  const endsEverything = REASONS_ENDING_EVERYTHING.has(ending.reason);
  const withoutUndos = endsEverything ? cancelUndos(builder, ending.reason, now, until) : builder;
  const cancelled = cancelQuestions(cancelCalls(withoutUndos, ending, now), cancelNote(ending.reason));
  const ended = withRun(cancelled, { phase: { kind: 'ended', at: now, ...ending }, unreadPushes: [] });
  const updated = withEffects(ended, { type: 'update-run-comment', runId: run.id });
  const dropped = endsEverything ? tasksRequestedBy(builder.pull, until) : [];
  return startNextTask(announceEnd(updated, run, ending, dropped), dropped);
}

/** Queued tasks requested at `until` or before; all of them if it is null. */
export function tasksRequestedBy({ queue }: PullState, until: string | null): readonly Task[] {
  return until === null ? queue : queue.filter((task) => Date.parse(task.requestedAt) <= Date.parse(until));
}

function announceEnd(builder: StepBuilder, run: Run, ending: Ending, dropped: readonly Task[]): StepBuilder {
  const spoken = run.lastResumption?.spoken ?? null;
  const { by: requester, location } = spoken ?? run.task;
  const proposals = builder.pull.proposals.filter(
    (one) =>
      one.runId === run.id &&
      !isReading(one.change) &&
      one.origin.kind === 'call' &&
      (turnOf(one) ?? 0) > (spoken?.turns ?? 0),
  );
  const commits = commitsOf(run.commits.slice(spoken?.commits ?? 0), proposals, builder.pull.proposals);
  const { summary } = run;
  return withReply(
    builder,
    location,
    runEnded({
      ...ending,
      requester,
      proposals,
      pending: builder.pull.proposals,
      commits,
      summary,
      droppedTasks: dropped,
    }),
  );
}

/** Those of the counted changes: a commit that only has others, such as an undo, is no part of what came of the run. */
function commitsOf(
  commits: readonly string[],
  counted: readonly Proposal[],
  all: readonly Proposal[],
): readonly string[] {
  const own = new Set(counted.map(({ commitSha }) => commitSha));
  const others = new Set(all.map(({ commitSha }) => commitSha));
  return commits.filter((sha) => own.has(sha) || !others.has(sha));
}

function startNextTask(builder: StepBuilder, dropped: readonly Task[]): StepBuilder {
  const queue = builder.pull.queue.filter((task) => !dropped.includes(task));
  const withQueue = withPullState(builder, { queue });
  return queue.length === 0 ? withQueue : withEffects(withQueue, { type: 'start-next-task' });
}

/** A commit attempt is left to its outcome. */
function cancelCalls(builder: StepBuilder, { reason }: Ending, now: string): StepBuilder {
  const open = builder.pull.proposals.filter((one) => one.origin.kind === 'call' && isBeforeCommit(one));
  return open.reduce((next, one) => withTransition(next, one, 'cancelled', now, cancelNote(reason)), builder);
}

/**
 * Cancels all open undos, or those posted at `until` or before. The commit attempt of an undo is left to its outcome,
 * but is not retried.
 */
export function cancelUndos(
  builder: StepBuilder,
  reason: EndReason,
  now: string,
  until: string | null = null,
): StepBuilder {
  return openUndos(builder.pull, until).reduce(
    (next, one) =>
      one.state === 'executing'
        ? withProposal(next, { ...one, note: cancelNote(reason) })
        : withTransition(next, one, 'cancelled', now, cancelNote(reason)),
    builder,
  );
}

/** All open undos, or those posted at `until` or before. */
export function openUndos({ proposals }: PullState, until: string | null): readonly Proposal[] {
  return proposals.filter((one) => {
    const isLater = until !== null && one.comment !== null && Date.parse(one.comment.createdAt) > Date.parse(until);
    return one.origin.kind === 'undo' && isOpen(one) && !isLater;
  });
}

/** For people: why an open proposal was cancelled. */
function cancelNote(reason: EndReason): string {
  return `the run ${describeEnd({ reason, by: null })}`;
}

/** Replies to each queued task, and drops it. */
export function dropQueue(builder: StepBuilder, reply: Reply): StepBuilder {
  const replied = builder.pull.queue.reduce((next, task) => withReply(next, task.location, reply), builder);
  return withPullState(replied, { queue: [] });
}
