import type { Proposal } from '../state/proposal.ts';
import { isPending, transition } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../state/question.ts';
import { expiresAt } from '../state/run.ts';
import { type StepBuilder, withEffects, withProposal } from './step-builder.ts';

/** The part of its time after which people get a reminder of what is pending. */
const REMINDER_FRACTION = 0.8;

/** Deadlines this close together are checked at once. Proposals of one review are posted within seconds. */
const DEADLINE_BATCH_MS = 60_000;

/** Pending proposals and questions. */
type Waiting = { readonly proposals: readonly Proposal[]; readonly questions: readonly AgentQuestion[] };

/** Those whose reminder is due, once, and those that expire. */
export function findDue(pull: PullState, now: string): { readonly toRemind: Waiting; readonly toExpire: Waiting } {
  const time = Date.parse(now);
  const remindedAt = Date.parse(pull.run?.remindedAt ?? '') || 0;
  const due = deadlinesOf(pull);
  return {
    toRemind: waitingOf(due.filter((one) => one.expiresAt > time && one.remindAt <= time && one.remindAt > remindedAt)),
    toExpire: waitingOf(due.filter((one) => one.expiresAt <= time)),
  };
}

export function isAnyWaiting({ proposals, questions }: Waiting): boolean {
  return proposals.length + questions.length > 0;
}

/** Makes an approved proposal pending again. It keeps its deadline, which may be over by now. */
export function reopenProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  return scheduleDeadlineCheck(withProposal(builder, transition(proposal, 'proposed', now)), now);
}

/**
 * Schedules the next check of deadlines, if anything is pending. It is due immediately where a deadline is over: an App
 * that was suspended meanwhile can learn of a post after it.
 */
export function scheduleDeadlineCheck(builder: StepBuilder, now: string): StepBuilder {
  const time = Date.parse(now);
  const times = deadlinesOf(builder.pull).map((one) =>
    one.remindAt > time ? one.remindAt : Math.max(one.expiresAt, time),
  );
  if (times.length === 0) return builder;
  const first = Math.min(...times);
  const last = Math.max(...times.filter((one) => one <= first + DEADLINE_BATCH_MS));
  return withEffects(builder, { type: 'check-deadlines', at: new Date(last).toISOString(), requestedAt: now });
}

/** Times in milliseconds. */
type Deadline = { readonly remindAt: number; readonly expiresAt: number } & (
  | { readonly proposal: Proposal }
  | { readonly question: AgentQuestion }
);

function deadlinesOf({ proposals, run }: PullState): readonly Deadline[] {
  const timesOf = (postedAt: string | null | undefined) => {
    const end = expiresAt(run, postedAt ?? null);
    if (end === null) return [];
    const [from, until] = [Date.parse(postedAt ?? ''), Date.parse(end)];
    return [{ remindAt: from + (until - from) * REMINDER_FRACTION, expiresAt: until }];
  };
  const questions = run?.questions.filter(isAnswerable) ?? [];
  return [
    ...proposals
      .filter(isPending)
      .flatMap((proposal) => timesOf(proposal.proposedAt).map((times) => ({ ...times, proposal }))),
    ...questions.flatMap((question) => timesOf(question.comment?.createdAt).map((times) => ({ ...times, question }))),
  ];
}

function waitingOf(deadlines: readonly Deadline[]): Waiting {
  return {
    proposals: deadlines.flatMap((one) => ('proposal' in one ? [one.proposal] : [])),
    questions: deadlines.flatMap((one) => ('question' in one ? [one.question] : [])),
  };
}
