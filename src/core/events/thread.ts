import { applyHeadMove } from '../actions/head-moved.ts';
import { endStep, noop, queueCommentUpdate, startStep, withEffects, withProposal } from '../actions/step-builder.ts';
import { advanceBatch, withdrawProposal } from '../actions/tool-batch.ts';
import { withdrawnOutput } from '../agent/shared/tool-results.ts';
import { deny } from '../commands/deny.ts';
import { mainPath } from '../edits/change.ts';
import { isAllowed, roleOf } from '../policy/approval-rules.ts';
import type { Intent } from '../state/intent.ts';
import { beginsThread } from '../state/posted-comment.ts';
import type { Proposal } from '../state/proposal.ts';
import { isPending } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Facts } from '../step/facts.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

type ThreadCheckedSignal = Extract<Signal, { type: 'thread-checked' }>;

/** Checks the resolved thread of a pending proposal again later, because people resolve threads by mistake. */
export function onThreadResolution(pull: PullState, intent: Extract<Intent, { kind: 'thread' }>, facts: Facts): Step {
  const proposal = pendingInThread(pull, intent.rootId);
  if (proposal === null) return noop(pull, 'not-for-us');
  if (!intent.resolved) return reopenThread(pull, proposal);
  const by = { id: intent.actor.id, login: intent.actor.login };
  const role = roleOf(facts.permission, by, pull.run?.pullAuthor ?? null);
  if (!facts.ownerAllowed || !isAllowed(role, deny.allowedTo)) return noop(pull, 'not-allowed');
  const since = facts.now;
  const noted = withProposal(startStep(pull), { ...proposal, threadResolution: { by, since } });
  return endStep(withEffects(noted, { type: 'check-thread', proposalId: proposal.id, since }), 'thread-resolved');
}

/** The pending proposal whose thread begins with this comment. */
export function pendingInThread(pull: PullState, rootId: number): Proposal | null {
  return pull.proposals.find((one) => beginsThread(one.comment, rootId) && isPending(one)) ?? null;
}

function reopenThread(pull: PullState, proposal: Proposal): Step {
  return endStep(withProposal(startStep(pull), { ...proposal, threadResolution: null }), 'thread-reopened');
}

/** Withdraws the proposal of a thread that is still resolved, unless the head contains the change. */
export function onThreadChecked(pull: PullState, signal: ThreadCheckedSignal, facts: Facts): Step {
  const proposal = findResolvedProposal(pull, signal);
  if (proposal === null) return noop(pull, 'outdated-result');
  if (!signal.resolved) return reopenThread(pull, proposal);
  const head = facts.pullRequest?.headSha ?? pull.run?.assessedHeadSha ?? '';
  const assessed = applyHeadMove(startStep(pull), head, facts, null);
  const current = assessed.pull.proposals.find((one) => one.id === proposal.id);
  if (current === undefined || !isPending(current)) return endStep(advanceBatch(assessed, facts.now), 'push-assessed');
  const note = `${proposal.threadResolution?.by.login ?? 'somebody'} resolved its thread`;
  const output = withdrawnOutput(`${note}.`);
  const withdrawn = withdrawProposal(assessed, current, { note, output }, facts.now);
  return endStep(advanceBatch(withdrawn, facts.now), 'proposal-withdrawn');
}

/** Whether the thread is still resolved since the time for which the check was scheduled. */
export function isStillResolved(pull: PullState, signal: ThreadCheckedSignal): boolean {
  return signal.resolved && findResolvedProposal(pull, signal) !== null;
}

function findResolvedProposal(pull: PullState, { proposalId, since }: ThreadCheckedSignal): Proposal | null {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  return proposal !== undefined && isPending(proposal) && proposal.threadResolution?.since === since ? proposal : null;
}

/** Shows suggestions that GitHub no longer accepts as diffs. Nothing else about their proposals changes (S50). */
export function onSuggestionsOutdated(
  pull: PullState,
  { proposalIds }: Extract<Signal, { type: 'suggestions-outdated' }>,
): Step {
  const outdated = pull.proposals.filter(
    (one) => proposalIds.includes(one.id) && isPending(one) && one.placement?.kind === 'suggestion',
  );
  if (outdated.length === 0) return noop(pull, 'outdated-result');
  const updated = outdated.reduce((builder, one) => {
    const placement = { kind: 'file', path: mainPath(one.change), reason: 'outdated' } as const;
    return queueCommentUpdate(withProposal(builder, { ...one, placement }), one);
  }, startStep(pull));
  return endStep(updated, 'suggestions-outdated');
}
