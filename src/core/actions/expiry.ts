import { reminder } from '../messages/change-replies.ts';
import { isPending, type Proposal, transition } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../state/question.ts';
import { expiresAt } from '../state/run.ts';
import { distinctPeople } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { expireQuestions } from './questions.ts';
import {
  endStep,
  type StepBuilder,
  startStep,
  withEffects,
  withProposal,
  withReply,
  withRun,
  withTransition,
} from './step-builder.ts';
import { advanceBatch, setProposalCallStatus } from './tool-batch.ts';

/** The part of its time after which people get a reminder of what is pending. */
const REMINDER_FRACTION = 0.8;

/** Deadlines this close together are checked at once. Proposals of one review are posted within seconds. */
const DEADLINE_BATCH_MS = 60_000;

/** Pending proposals and questions. */
type Waiting = { readonly proposals: readonly Proposal[]; readonly questions: readonly AgentQuestion[] };

/** Those whose reminder is due, once, and those that expire. */
function findDue(pull: PullState, now: string): { readonly toRemind: Waiting; readonly toExpire: Waiting } {
  const time = Date.parse(now);
  const remindedAt = Date.parse(pull.run?.remindedAt ?? '') || 0;
  const due = deadlinesOf(pull);
  return {
    toRemind: waitingOf(due.filter((one) => one.expiresAt > time && one.remindAt <= time && one.remindAt > remindedAt)),
    toExpire: waitingOf(due.filter((one) => one.expiresAt <= time)),
  };
}

function isAnyWaiting({ proposals, questions }: Waiting): boolean {
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

/**
 * Reminds people of proposals and questions that expire soon, and lets those expire whose time is over. An expiry is no
 * denial, and the model is not told. A run without other pending proposals or questions ends.
 */
export function onDeadlineReached(pull: PullState, { now }: Facts): Step {
  const { toRemind, toExpire } = findDue(pull, now);
  const [isReminding, isExpiring] = [isAnyWaiting(toRemind), isAnyWaiting(toExpire)];
  const reminded = isReminding ? sendReminder(startStep(pull), toRemind, now) : startStep(pull);
  if (!isExpiring) return endStep(scheduleDeadlineCheck(reminded, now), isReminding ? 'reminded' : 'outdated-result');
  const expired = toExpire.proposals.reduce((builder, one) => expireProposal(builder, one, now), reminded);
  const withQuestions = toExpire.questions.length === 0 ? expired : expireQuestions(expired);
  return endStep(scheduleDeadlineCheck(advanceBatch(withQuestions, now), now), 'expired');
}

function expireProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const { id, origin } = proposal;
  const note = origin.kind === 'undo' ? `To ask for it again, write /undo ${origin.undoneProposalId}` : null;
  const expired = withTransition(builder, proposal, 'expired', now, note);
  return setProposalCallStatus(expired, proposal, { kind: 'expired', proposalId: id });
}

function sendReminder(
  builder: StepBuilder,
  { proposals, questions }: ReturnType<typeof findDue>['toRemind'],
  now: string,
): StepBuilder {
  const { run } = builder.pull;
  const requester = run === null ? [] : [run.task.by];
  const people = [
    ...proposals.flatMap(({ origin }) => (origin.kind === 'undo' ? [origin.by] : requester)),
    ...questions.flatMap(() => requester),
  ];
  const posted = [...proposals.map((one) => one.proposedAt), ...questions.map((one) => one.comment?.createdAt ?? null)];
  const [first = ''] = posted.flatMap((at) => expiresAt(run, at) ?? []).toSorted();
  const reply = reminder(distinctPeople(people), { proposals, questions }, first);
  return withReply(withRun(builder, { remindedAt: now }), { at: 'pull-request' }, reply);
}
