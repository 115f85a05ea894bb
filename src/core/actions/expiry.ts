import { HOUR_MS } from '../state/limits.ts';
import type { Proposal } from '../state/proposal.ts';
import { isPending, transition } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../state/question.ts';
import type { Run } from '../state/run.ts';
import { type StepBuilder, withEffects, withProposal } from './step-builder.ts';

/** The part of its time after which people get a reminder of a pending proposal. */
const REMINDER_FRACTION = 0.8;

/** Deadlines this close together are checked at once. Proposals of one review are posted within seconds. */
const DEADLINE_BATCH_MS = 60_000;

/** GitHub's time (ISO 8601) at which a proposal that was posted at `proposedAt` expires; null if it is not posted. */
export function expiresAtFor(proposedAt: string | null, run: Pick<Run, 'settings'> | null): string | null {
  return proposedAt === null || run === null ? null : expiryAfter(proposedAt, run.settings.expiryHours);
}

/** The time (ISO 8601) at which something of this time expires. */
export function expiryAfter(from: string, expiryHours: number): string {
  return new Date(Date.parse(from) + expiryHours * HOUR_MS).toISOString();
}

/** The deadline of a stored proposal; null if it is not posted. */
export function deadlineOf({ expiresAt, proposedAt }: Proposal, run: Run | null): string | null {
  return expiresAt ?? expiresAtFor(proposedAt, run);
}

/** Pending proposals or questions of one kind whose reminder or expiry is due. */
type Due<Waiting> = { readonly toRemind: readonly Waiting[]; readonly toExpire: readonly Waiting[] };

/** The proposals and questions with a due reminder or expiry. */
type DueDeadlines = { readonly proposals: Due<Proposal>; readonly questions: Due<AgentQuestion> };

export function findDue(pull: PullState, now: string): DueDeadlines {
  const time = Date.parse(now);
  return { proposals: dueOf(proposalDeadlines(pull), time), questions: dueOf(questionDeadlines(pull), time) };
}

function dueOf<Waiting>(deadlines: readonly Deadline<Waiting>[], time: number): Due<Waiting> {
  const toExpire = deadlines.filter(({ expiresAt }) => expiresAt <= time);
  const toRemind = deadlines.filter(
    ({ expiresAt, remindAt }) => expiresAt > time && remindAt !== null && remindAt <= time,
  );
  return { toRemind: toRemind.map(({ waiting }) => waiting), toExpire: toExpire.map(({ waiting }) => waiting) };
}

/** Makes an approved proposal pending again, with its full time: it could have expired while nobody had to decide. */
export function reopenProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const expiresAt = expiresAtFor(now, builder.pull.run);
  const reopened = { ...transition(proposal, 'proposed', now), expiresAt, reminded: false };
  return scheduleDeadlineCheck(withProposal(builder, reopened), now);
}

/**
 * Schedules the first check of posted proposals and questions. An App that was suspended meanwhile can learn of a post
 * after its deadline: then the check is due immediately.
 */
export function scheduleFirstDeadlineCheck(builder: StepBuilder, now: string): StepBuilder {
  const { proposals, questions } = findDue(builder.pull, now);
  if (proposals.toExpire.length + questions.toExpire.length === 0) return scheduleDeadlineCheck(builder, now);
  return withEffects(builder, { type: 'check-deadlines', at: now, requestedAt: now });
}

/** Schedules the next check of deadlines, if any is left. Those that are over already have their check. */
export function scheduleDeadlineCheck(builder: StepBuilder, now: string): StepBuilder {
  const times = [...proposalDeadlines(builder.pull), ...questionDeadlines(builder.pull)]
    .map(({ remindAt, expiresAt }) => (remindAt !== null && remindAt > Date.parse(now) ? remindAt : expiresAt))
    .filter((time) => time > Date.parse(now));
  if (times.length === 0) return builder;
  const first = Math.min(...times);
  const last = Math.max(...times.filter((time) => time <= first + DEADLINE_BATCH_MS));
  return withEffects(builder, { type: 'check-deadlines', at: new Date(last).toISOString(), requestedAt: now });
}

/** Times in milliseconds; `remindAt` is null after the reminder. */
type Deadline<Waiting> = { readonly waiting: Waiting; readonly remindAt: number | null; readonly expiresAt: number };

function proposalDeadlines({ proposals, run }: PullState): readonly Deadline<Proposal>[] {
  return proposals
    .filter(isPending)
    .flatMap((proposal) => deadline(proposal, proposal.proposedAt, deadlineOf(proposal, run)));
}

function questionDeadlines({ run }: PullState): readonly Deadline<AgentQuestion>[] {
  const waiting = run?.questions.filter(isAnswerable) ?? [];
  return waiting.flatMap((question) => deadline(question, question.comment?.createdAt ?? null, question.expiresAt));
}

function deadline<Waiting extends { readonly reminded: boolean }>(
  waiting: Waiting,
  from: string | null,
  until: string | null,
): readonly Deadline<Waiting>[] {
  if (from === null || until === null) return [];
  const [start, expiresAt] = [Date.parse(from), Date.parse(until)];
  return [{ waiting, remindAt: waiting.reminded ? null : start + (expiresAt - start) * REMINDER_FRACTION, expiresAt }];
}
