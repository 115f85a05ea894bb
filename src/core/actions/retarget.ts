import { retargetedOutput } from '../agent/shared/tool-results.ts';
import type { Proposal, Retarget } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import { proposalLink } from '../step/reply-links.ts';
import { proposalsBeforeCommit } from './head-assessment.ts';
import {
  queueCommentUpdate,
  type StepBuilder,
  withProposal,
  withPullState,
  withReply,
  withRun,
} from './step-builder.ts';
import { answerProposalCalls } from './tool-batch.ts';

/** Applies the current base branch. The webhook about the change may never have arrived. */
export function applyBaseChange(builder: StepBuilder, to: string, now: string): StepBuilder {
  const from = builder.pull.run?.baseRef ?? to;
  return from === to ? builder : retarget(builder, { from, to }, now);
}

/** Withdraws what was proposed for the previous base, and ends standing approvals. A commit attempt is left to its outcome, and is not retried. */
export function retarget(builder: StepBuilder, change: Retarget, now: string): StepBuilder {
  const open = proposalsBeforeCommit(builder.pull.proposals);
  const executing = builder.pull.proposals.filter(({ state }) => state === 'executing');
  const withBase = withPullState(withRun(builder, { baseRef: change.to }), { standingApprovals: [] });
  const marked = executing.reduce((next, one) => withProposal(next, { ...one, pendingRetarget: change }), withBase);
  const withdrawn = open.reduce((next, one) => withdrawForRetarget(next, one, change, now), marked);
  return announceRetarget(withdrawn, open, change);
}

/** Withdraws a proposal for another base. This is no denial. */
export function withdrawForRetarget(
  builder: StepBuilder,
  proposal: Proposal,
  { from, to }: Retarget,
  now: string,
): StepBuilder {
  const note = `the pull request now targets ${to}`;
  const withdrawn = withProposal(builder, { ...transition(proposal, 'superseded', now), note });
  return queueCommentUpdate(answerProposalCalls(withdrawn, proposal, retargetedOutput(from, to)), proposal);
}

/** Lists the withdrawn proposals in one reply. */
export function announceRetarget(
  builder: StepBuilder,
  withdrawn: readonly Proposal[],
  { from, to }: Retarget,
): StepBuilder {
  if (withdrawn.length === 0) return builder;
  const reply = { kind: 'retargeted', from, to, proposals: withdrawn.map(proposalLink) } as const;
  return withReply(builder, { at: 'pull-request' }, reply);
}
