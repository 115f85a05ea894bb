import { deadlineOf, findDueProposals, scheduleDeadlineCheck } from '../actions/expiry.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withEffects,
  withProposal,
  withReply,
} from '../actions/step-builder.ts';
import { advanceBatch, setProposalCallStatus } from '../actions/tool-batch.ts';
import type { Facts } from '../state/facts.ts';
import { type Person, type Proposal, transition } from '../state/proposal.ts';
import { proposalLink } from '../state/replies.ts';
import type { PullState, Run } from '../state/run.ts';
import type { Step } from '../state/step.ts';

/**
 * Reminds people of proposals that expire soon. Before proposals expire, lost comments are fetched: they could decide.
 */
export function onDeadlineReached(pull: PullState, { now }: Facts): Step {
  const { toRemind, toExpire } = findDueProposals(pull, now);
  const reminded = scheduleDeadlineCheck(sendReminder(startStep(pull), toRemind), now);
  if (toExpire.length === 0) return endStep(reminded, toRemind.length > 0 ? 'reminded' : 'outdated-result');
  const [since = now] = toExpire.flatMap(({ proposedAt }) => proposedAt ?? []).toSorted();
  return endStep(withEffects(reminded, { type: 'catch-up', since, expiresAfter: true }), 'deadline-reached');
}

/** An expiry is no denial, and the model is not told. A run without other pending proposals ends. */
export function onExpiryDue(pull: PullState, { now }: Facts): Step {
  const { toExpire } = findDueProposals(pull, now);
  if (toExpire.length === 0) return noop(pull, 'outdated-result');
  const expired = toExpire.reduce((builder, one) => expireProposal(builder, one, now), startStep(pull));
  return endStep(advanceBatch(expired, now), 'expired');
}

function expireProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const { id, origin } = proposal;
  const note = origin.kind === 'undo' ? `To ask for it again, write /undo ${origin.undoneProposalId}` : null;
  const expired = withProposal(builder, { ...transition(proposal, 'expired', now), note });
  return queueCommentUpdate(setProposalCallStatus(expired, proposal, { kind: 'expired', proposalId: id }), proposal);
}

function sendReminder(builder: StepBuilder, proposals: readonly Proposal[]): StepBuilder {
  if (proposals.length === 0) return builder;
  const { run } = builder.pull;
  const marked = proposals.reduce((next, one) => withProposal(next, { ...one, reminded: true }), builder);
  const people = proposals.flatMap((one) => requesterOf(one, run) ?? []);
  const requesters = [...new Map(people.map((person) => [person.id, person])).values()];
  const [expiresAt = ''] = proposals.flatMap((one) => deadlineOf(one, run) ?? []).toSorted();
  const reply = { kind: 'reminder', requesters, proposals: proposals.map(proposalLink), expiresAt } as const;
  return withReply(marked, { at: 'pull-request' }, reply);
}

function requesterOf({ origin }: Proposal, run: Run | null): Person | null {
  return origin.kind === 'undo' ? origin.by : (run?.task.by ?? null);
}
