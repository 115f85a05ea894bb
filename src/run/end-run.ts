import type { Draft } from './draft.ts';
import { withAnswer, withEffects, withProposal, withPull, withRun } from './draft.ts';
import { isOpen, isRevocable, type Origin, type Person, type Proposal } from './proposal.ts';
import type { Pull, Run, RunEnd, Task } from './run.ts';
import { moved } from './transition.ts';

type Ending = { readonly how: RunEnd; readonly by: Person | null; readonly note: string | null };

/** Ends of everything on the pull request: they take the queued tasks and the undos with them. */
const ENDS_ALL: ReadonlySet<RunEnd> = new Set<RunEnd>(['stopped', 'closed', 'merged', 'commit-differs', 'access-lost']);

/**
 * Ends the run: what is open is cancelled, the requester is told once, and the next task may begin. Where the end takes
 * the queue with it, tasks that were asked for after `until` stay in it.
 */
export function endRun(draft: Draft, ending: Ending, now: string, until: string | null = null): Draft {
  const run = draft.pull.run;
  if (run === null || run.phase.kind === 'ended') return draft;
  const alone = ENDS_ALL.has(ending.how) ? cancelUndos(draft, ending.how, now, until) : draft;
  const over = withRun(cancelCalls(alone, ending, now), { phase: { kind: 'ended', at: now, ...ending } });
  const shown = withEffects(over, { type: 'show-run', runId: run.id });
  const dropped = ENDS_ALL.has(ending.how) ? tasksAskedBy(draft.pull, until) : [];
  return passOn(told(shown, run, ending, dropped), dropped);
}

/** Queued tasks that were asked for by then; all of them where no time is given. */
export function tasksAskedBy({ queue }: Pull, until: string | null): readonly Task[] {
  return until === null ? queue : queue.filter((task) => Date.parse(task.askedAt) <= Date.parse(until));
}

function told(draft: Draft, run: Run, ending: Ending, dropped: readonly Task[]): Draft {
  return withAnswer(
    draft,
    { at: 'pull' },
    {
      kind: 'run-ended',
      requester: run.task.by,
      how: ending.how,
      by: ending.by,
      proposed: draft.pull.proposals.some(({ runId, origin }) => runId === run.id && origin.kind === 'call'),
      commits: run.commits,
      note: ending.note ?? run.summary,
      dropped: dropped.map((task) => task.text),
    },
  );
}

function passOn(before: Draft, dropped: readonly Task[]): Draft {
  const draft = withPull(before, { queue: before.pull.queue.filter((task) => !dropped.includes(task)) });
  return draft.pull.queue.length === 0 ? draft : withEffects(draft, { type: 'start-next' });
}

/** An attempt that has begun is left to its outcome; everything else that is open is cancelled. */
function cancelCalls(draft: Draft, { how }: Ending, now: string): Draft {
  const open = draft.pull.proposals.filter((one) => one.origin.kind === 'call' && isRevocable(one));
  return open.reduce((next, proposal) => cancel(next, proposal, CANCELLED_BY[how], now), draft);
}

/**
 * Cancels the undos that were on their way, with or without a run; where a time is given, those that stood by then. An
 * attempt that has begun is left to its outcome, and none follows it.
 */
export function cancelUndos(draft: Draft, how: RunEnd, now: string, until: string | null = null): Draft {
  return openUndos(draft.pull, until).reduce(
    (next, { proposal, origin }) =>
      proposal.state === 'executing'
        ? withProposal(next, { ...proposal, origin: { ...origin, cancelled: CANCELLED_BY[how] } })
        : cancel(next, proposal, CANCELLED_BY[how], now),
    draft,
  );
}

type Undo = { readonly proposal: Proposal; readonly origin: Extract<Origin, { kind: 'undo' }> };

/** The undos that wait or are under way; where a time is given, those that stood on the page by then. */
export function openUndos({ proposals }: Pull, until: string | null): readonly Undo[] {
  return proposals.flatMap((proposal) => {
    const { origin, comment } = proposal;
    if (origin.kind !== 'undo' || !isOpen(proposal)) return [];
    const later = until !== null && comment !== null && Date.parse(comment.createdAt) > Date.parse(until);
    return later ? [] : [{ proposal, origin }];
  });
}

function cancel(draft: Draft, proposal: Proposal, note: string, now: string): Draft {
  const gone = withProposal(draft, { ...moved(proposal, 'cancelled', now), note });
  return proposal.comment === null ? gone : withEffects(gone, { type: 'show-proposal', proposalId: proposal.id });
}

/** Why a proposal that was still open is cancelled, for people. */
const CANCELLED_BY: Readonly<Record<RunEnd, string>> = {
  finished: 'the run ended',
  stopped: 'the run was stopped',
  closed: 'the pull request was closed',
  merged: 'the pull request was merged',
  denied: 'the run ended',
  repeated: 'the run ended',
  'turn-limit': 'the run reached its limit of model responses',
  'model-failed': 'the model gave no usable answer',
  'posting-failed': 'the changes could not be posted',
  'commit-differs': 'GitHub committed something else than was approved',
  expired: 'the run ended',
  'access-lost': 'Countersign lost its access to the repository',
};
