import { findDue, isAnyWaiting, scheduleDeadlineCheck } from '../actions/expiry.ts';
import { expireQuestions } from '../actions/questions.ts';
import {
  endStep,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withProposal,
  withReply,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch, setProposalCallStatus } from '../actions/tool-batch.ts';
import { reminder } from '../messages/change-replies.ts';
import type { Proposal } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import { expiresAt } from '../state/run.ts';
import { distinctPeople } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { Step } from '../step/step.ts';

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
  const expired = withProposal(builder, { ...transition(proposal, 'expired', now), note });
  return queueCommentUpdate(setProposalCallStatus(expired, proposal, { kind: 'expired', proposalId: id }), proposal);
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
