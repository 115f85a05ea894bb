import { announceSuspended, clearApprovals } from '../actions/approvals.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withProposal,
  withReply,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch, answerProposalCall } from '../actions/tool-batch.ts';
import { failedOutput } from '../agent/tool-results.ts';
import type { Facts } from '../state/facts.ts';
import { isOpen, isPending, type Proposal, transition } from '../state/proposal.ts';
import { proposalLink } from '../state/replies.ts';
import type { PullState } from '../state/run.ts';
import type { Signal } from '../state/signals.ts';
import type { Step } from '../state/step.ts';

/** A commit attempt failed for good, and nothing was committed. If a rule refused it, all later commits fail too. */
export function onCommitFailed(
  pull: PullState,
  { proposalIds, message, refusedByRule }: Extract<Signal, { type: 'commit-failed' }>,
  facts: Facts,
): Step {
  // A proposal in another commit attempt can still succeed, so only approved ones fail along with this attempt.
  const failed = pull.proposals.filter(
    (one) =>
      (proposalIds.includes(one.id) && isApprovedOrExecuting(one)) || (refusedByRule && one.state === 'approved'),
  );
  const updated = failed.reduce((builder, one) => failProposal(builder, one, message, facts.now), startStep(pull));
  const reply = { kind: 'commit-failed', proposals: failed.map(proposalLink), message } as const;
  const replied = failed.length === 0 ? updated : withReply(updated, { at: 'pull-request' }, reply);
  const refused = refusedByRule ? markCommitsRefused(replied) : replied;
  return endStep(advanceBatch(refused, facts.now), 'commit-failed');
}

function isApprovedOrExecuting(proposal: Proposal): boolean {
  return isOpen(proposal) && proposal.state !== 'proposed';
}

function failProposal(builder: StepBuilder, proposal: Proposal, message: string, now: string): StepBuilder {
  const executing = proposal.state === 'approved' ? transition(proposal, 'executing', now) : proposal;
  const failed = withProposal(builder, { ...transition(executing, 'failed', now), note: message });
  return queueCommentUpdate(answerProposalCall(failed, proposal, failedOutput(message)), proposal);
}

/** The comments of pending proposals then say that people must apply them by hand. */
function markCommitsRefused(builder: StepBuilder): StepBuilder {
  const pending = builder.pull.proposals.filter(isPending);
  return pending.reduce(queueCommentUpdate, withRun(builder, { commitsRefused: true }));
}

/** After this time, a commit attempt on a head that keeps moving fails. */
const MAX_HEAD_MOVING_MS = 10 * 60_000;

/** The head moved before the commit. The proposals stay approved for a retry, unless their approvals are suspended. */
export function onCommitHeadMoved(
  pull: PullState,
  signal: Extract<Signal, { type: 'commit-head-moved' }>,
  facts: Facts,
): Step {
  const executing = pull.proposals.filter((one) => signal.proposalIds.includes(one.id) && one.state === 'executing');
  const overdue = executing.filter(
    ({ headMovingSince: since }) => since !== null && Date.parse(facts.now) - Date.parse(since) > MAX_HEAD_MOVING_MS,
  );
  if (overdue.length > 0) {
    const proposalIds = overdue.map((one) => one.id);
    const failure = { ...signal, type: 'commit-failed', proposalIds, refusedByRule: false } as const;
    return onCommitFailed(pull, { ...failure, message: 'the branch kept moving' }, facts);
  }
  const approved = executing.reduce((builder, one) => {
    const headMovingSince = one.headMovingSince ?? facts.now;
    const again = { ...transition(one, 'approved', facts.now), headMovingSince };
    return one.approvalsSuspendedBy === null ? withProposal(builder, again) : clearApprovals(builder, again, facts.now);
  }, startStep(pull));
  return endStep(announceSuspended(approved, executing), 'commit-head-moved');
}

/** Tells the approver once that commit attempts are being retried. */
export function onCommitDelayed(
  pull: PullState,
  { proposalIds, location }: Extract<Signal, { type: 'commit-delayed' }>,
): Step {
  const delayed = pull.proposals.filter((one) => proposalIds.includes(one.id) && isApprovedOrExecuting(one));
  if (delayed.length === 0) return noop(pull, 'commit-delayed');
  const reply = { kind: 'commit-delayed', proposals: delayed.map(proposalLink) } as const;
  const once = `commit-delayed:${proposalIds.join()}`;
  return endStep(withReply(startStep(pull), location ?? { at: 'pull-request' }, reply, once), 'commit-delayed');
}
