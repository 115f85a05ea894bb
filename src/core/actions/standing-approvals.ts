import { standingApprovalEnded } from '../messages/approval-replies.ts';
import { mayApprove } from '../policy/may-approve.ts';
import { createStandingVote, findUsable, isInForce, reaches } from '../policy/standing-approvals.ts';
import { canCommit } from '../state/head-branch.ts';
import { isPending, type Proposal } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { StandingApproval } from '../state/vote.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { StandingEnd } from '../step/reasons.ts';
import { currentApprovalRules, recordApproval } from './approvals.ts';
import { settingsNeeds } from './fact-needs.ts';
import { currentProposal, type StepBuilder, showRun, withEffects, withPullState, withReply } from './step-builder.ts';

/** The proposals that were posted together, and the run that made them. */
type Posting = { readonly runId: string; readonly proposals: readonly { readonly proposalId: string }[] };

/** The next facts to use the standing approvals that reach posted proposals; `pull` is the state after the posting. */
export function standingApprovalNeeds(pull: PullState, posting: Posting, facts: Facts): readonly Need[] {
  const proposals = findPosted(pull, posting);
  const inForce = pull.standingApprovals.filter((one) => isInForce(one, facts.now));
  if (!proposals.some((proposal) => inForce.some((one) => reaches(one, proposal)))) return [];
  const settings = settingsNeeds(facts);
  if (settings.length > 0) return settings;
  if (facts.standingPermissions !== undefined) return [];
  const people = usableApprovals(pull, proposals, facts).map(({ vote }) => vote.by);
  return people.length === 0 ? [] : [{ kind: 'standing-approvals', people }];
}

/** The posted proposals that an approval could commit now. */
function findPosted(pull: PullState, { runId, proposals }: Posting): readonly Proposal[] {
  const run = activeRun(pull);
  if (run?.id !== runId || !canCommit(run.branch)) return [];
  const ids = new Set(proposals.map(({ proposalId }) => proposalId));
  return pull.proposals.filter((one) => ids.has(one.id) && isPending(one));
}

function usableApprovals(
  { standingApprovals: approvals, run }: PullState,
  proposals: readonly Proposal[],
  { settings, now }: Facts,
): readonly StandingApproval[] {
  if (settings?.kind !== 'settings') return [];
  const context = { approvals, rules: settings.settings, runBy: run?.task.by ?? null, now };
  return [...new Set(proposals.flatMap((proposal) => findUsable(proposal, context)))];
}

/**
 * Approves posted proposals by the standing approvals that reach them, each as one vote of its author, and commits
 * those that now have enough.
 */
export function useStandingApprovals(builder: StepBuilder, posting: Posting, facts: Facts): StepBuilder {
  const permissions = facts.standingPermissions;
  if (permissions === undefined) return builder;
  const posted = findPosted(builder.pull, posting);
  const used = posted.reduce((next, one) => approveInAdvance(next, one, permissions, facts), builder);
  const proposalIds = posted.map(({ id }) => id).filter((id) => stateOf(used, id) === 'approved');
  return proposalIds.length === 0
    ? used
    : withEffects(used, { type: 'commit', runId: posting.runId, proposalIds, location: null });
}

function stateOf({ pull }: StepBuilder, id: string): Proposal['state'] | undefined {
  return pull.proposals.find((one) => one.id === id)?.state;
}

/** The rules for approvers decide about each use as about any other approval. */
function approveInAdvance(
  builder: StepBuilder,
  proposal: Proposal,
  permissions: NonNullable<Facts['standingPermissions']>,
  facts: Facts,
): StepBuilder {
  const current = currentApprovalRules(facts.settings, builder.pull.run, facts.codeOwners);
  if (current.kind !== 'rules') return builder;
  return usableApprovals(builder.pull, [proposal], facts).reduce((next, approval) => {
    const { by } = approval.vote;
    const permission = permissions[by.id] ?? 'none';
    if (mayApprove(proposal, { person: by, permission }, current.rules) !== 'yes') return next;
    const vote = createStandingVote(approval, proposal, permission, facts.now);
    return recordApproval(next, currentProposal(next, proposal), vote, current.rules, facts.now);
  }, builder);
}

/** Ends a standing approval before its time, and says so. A commit by it finds that right before it begins. */
export function endStandingApproval(
  builder: StepBuilder,
  approval: StandingApproval,
  cause: StandingEnd,
  to: Parameters<typeof withReply>[1] = { at: 'pull-request' },
): StepBuilder {
  const standingApprovals = builder.pull.standingApprovals.filter(({ number }) => number !== approval.number);
  const removed = withPullState(builder, { standingApprovals });
  return showRun(withReply(removed, to, standingApprovalEnded(approval, cause)));
}
