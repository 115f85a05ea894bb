import { deadlineOf, findDue, scheduleDeadlineCheck } from '../actions/expiry.ts';
import { expireQuestions } from '../actions/questions.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withEffects,
  withProposal,
  withReply,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch, setProposalCallStatus } from '../actions/tool-batch.ts';
import type { Proposal } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Run } from '../state/run.ts';
import { distinctPeople, type Person } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import { proposalLink, questionLink } from '../step/reply-links.ts';
import type { Step } from '../step/step.ts';

/**
 * Reminds people of proposals and questions that expire soon. The others expire once no comment is pending: it could
 * decide.
 */
export function onDeadlineReached(pull: PullState, { now }: Facts): Step {
  const { proposals, questions } = findDue(pull, now);
  const isReminding = proposals.toRemind.length + questions.toRemind.length > 0;
  const sent = isReminding ? sendReminder(startStep(pull), proposals.toRemind, questions.toRemind) : startStep(pull);
  const reminded = scheduleDeadlineCheck(sent, now);
  if (proposals.toExpire.length + questions.toExpire.length === 0)
    return endStep(reminded, isReminding ? 'reminded' : 'outdated-result');
  return endStep(withEffects(reminded, { type: 'expire-proposals' }), 'deadline-reached');
}

/** An expiry is no denial, and the model is not told. A run without other pending proposals or questions ends. */
export function onExpiryDue(pull: PullState, { now }: Facts): Step {
  const { proposals, questions } = findDue(pull, now);
  if (proposals.toExpire.length + questions.toExpire.length === 0) return noop(pull, 'outdated-result');
  const expired = proposals.toExpire.reduce((builder, one) => expireProposal(builder, one, now), startStep(pull));
  const withQuestions = questions.toExpire.length === 0 ? expired : expireQuestions(expired);
  return endStep(advanceBatch(withQuestions, now), 'expired');
}

function expireProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const { id, origin } = proposal;
  const note = origin.kind === 'undo' ? `To ask for it again, write /undo ${origin.undoneProposalId}` : null;
  const expired = withProposal(builder, { ...transition(proposal, 'expired', now), note });
  return queueCommentUpdate(setProposalCallStatus(expired, proposal, { kind: 'expired', proposalId: id }), proposal);
}

function sendReminder(
  builder: StepBuilder,
  proposals: readonly Proposal[],
  questions: readonly AgentQuestion[],
): StepBuilder {
  const { run } = builder.pull;
  const marked = proposals.reduce((next, one) => withProposal(next, { ...one, reminded: true }), builder);
  const all = run?.questions.map((one) => (questions.includes(one) ? { ...one, reminded: true } : one)) ?? [];
  const people = [
    ...proposals.flatMap((one) => requesterOf(one, run) ?? []),
    ...questions.flatMap(() => run?.task.by ?? []),
  ];
  const [expiresAt = ''] = [
    ...proposals.flatMap((one) => deadlineOf(one, run) ?? []),
    ...questions.flatMap((one) => one.expiresAt ?? []),
  ].toSorted();
  const reply = {
    kind: 'reminder',
    requesters: distinctPeople(people),
    proposals: proposals.map(proposalLink),
    questions: questions.map(questionLink),
    expiresAt,
  } as const;
  return withReply(withRun(marked, { questions: all }), { at: 'pull-request' }, reply);
}

function requesterOf({ origin }: Proposal, run: Run | null): Person | null {
  return origin.kind === 'undo' ? origin.by : (run?.task.by ?? null);
}
