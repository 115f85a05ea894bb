import { type ApprovalRules, countedApprovals, findObjection, isApproved } from '../policy/approval-rules.ts';
import { findDeniedPath } from '../policy/path-policy.ts';
import type { Facts } from '../state/facts.ts';
import {
  approvalVotes,
  isApprovalVote,
  type Permission,
  type Person,
  type Proposal,
  transition,
  type Vote,
} from '../state/proposal.ts';
import { type ApprovalBlock, proposalLink } from '../state/replies.ts';
import type { Run } from '../state/run.ts';
import type { SettingsReading } from '../state/settings.ts';
import { reopenProposal } from './expiry.ts';
import {
  currentProposal,
  queueCommentUpdate,
  recordVote,
  type StepBuilder,
  withProposal,
  withReply,
} from './step-builder.ts';

/** The approval rules of the repository as they are now. Settings that were not read count as broken. */
export function currentApprovalRules(
  reading: SettingsReading | undefined,
  run: Run | null,
): { readonly kind: 'rules'; readonly rules: ApprovalRules } | Extract<ApprovalBlock, { kind: 'settings-broken' }> {
  if (reading?.kind !== 'settings') return { kind: 'settings-broken', problems: reading?.problems ?? [] };
  const rules = { ...reading.settings, author: run?.pullAuthor ?? null, requester: run?.task.by ?? null };
  return { kind: 'rules', rules };
}

/** Whether the person's approval of any of these could count, so that no request is spent on a useless approval. */
export function couldApprovalCount(
  facts: Facts,
  person: Person,
  proposals: readonly Proposal[],
  run: Run | null,
): boolean {
  const current = currentApprovalRules(facts.settings, run);
  if (current.kind !== 'rules') return false;
  return proposals.some((one) => blockFor(person, facts.permission ?? 'none', one, current.rules) === null);
}

/** Why the person's approval of this proposal would not count; null if it would. */
export function blockFor(
  person: Person,
  permission: Permission,
  proposal: Proposal,
  rules: ApprovalRules,
): Extract<ApprovalBlock, { kind: 'objection' | 'denied-path' }> | null {
  const objection = findObjection({ person, permission }, rules, proposal);
  const denied = objection === 'denied-path' ? findDeniedPath(rules, proposal) : null;
  if (denied !== null) return { kind: 'denied-path', ...denied };
  return objection === null ? null : { kind: 'objection', objection, login: person.login };
}

/** Everyone who approved it, including those whose approval does not count. */
export function approversOf(proposal: Proposal): readonly Person[] {
  return approvalVotes(proposal).map((vote) => vote.by);
}

function permissionAtVote(vote: Vote): Permission {
  return vote.permission;
}

/** How many more people must approve it. */
export function countMissingApprovals(proposal: Proposal, rules: ApprovalRules): number {
  return Math.max(0, rules.requiredApprovals - countedApprovals(proposal, rules, permissionAtVote).length);
}

/** How many people must approve it besides this person and those who already did. */
export function countMissingBesides(person: Person, proposal: Proposal, rules: ApprovalRules): number {
  const others = countedApprovals(proposal, rules, permissionAtVote).filter((vote) => vote.by.id !== person.id);
  return Math.max(0, rules.requiredApprovals - others.length - 1);
}

/**
 * Records an approval that counts, once for each person, and approves the proposal once there are enough. An approval
 * of an approved proposal is recorded too: it stays valid if another person's vote lapses.
 */
export function recordApproval(
  builder: StepBuilder,
  proposal: Proposal,
  vote: Vote,
  rules: ApprovalRules,
  at: string,
): StepBuilder {
  const counted = countedApprovals(proposal, rules, permissionAtVote);
  const voted = counted.some((one) => one.by.id === vote.by.id) ? builder : recordVote(builder, vote);
  const current = { ...currentProposal(voted, proposal), requiredApprovals: rules.requiredApprovals };
  if (current.state === 'approved') return voted;
  return isApproved(current, rules, permissionAtVote)
    ? withProposal(voted, transition(current, 'approved', at))
    : queueCommentUpdate(withProposal(voted, current), current);
}

/** Prevents the retry of commit attempts by approvals that an unreadable comment could have revoked. */
export function suspendApprovals(builder: StepBuilder, errorId: string): StepBuilder {
  const executing = builder.pull.proposals.filter((one) => one.state === 'executing' && one.votes.some(isApprovalVote));
  return executing.reduce(
    (next, one) => withProposal(next, { ...one, approvalsSuspendedBy: one.approvalsSuspendedBy ?? errorId }),
    builder,
  );
}

/** Removes all approvals; the proposal is pending again. */
export function clearApprovals(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const votes = proposal.votes.filter((vote) => !isApprovalVote(vote));
  const cleared = { ...proposal, votes, approvalsSuspendedBy: null };
  const pending = cleared.state === 'proposed' ? withProposal(builder, cleared) : reopenProposal(builder, cleared, now);
  return queueCommentUpdate(pending, proposal);
}

/** One reply for each internal error that made proposals of `before` pending again. */
export function announceSuspended(builder: StepBuilder, before: readonly Proposal[]): StepBuilder {
  const undecided = new Set(builder.pull.proposals.filter(({ state }) => state === 'proposed').map(({ id }) => id));
  const suspended = before.flatMap((proposal) => {
    const errorId = proposal.approvalsSuspendedBy;
    return errorId !== null && undecided.has(proposal.id) ? [{ proposal, errorId }] : [];
  });
  return [...Map.groupBy(suspended, ({ errorId }) => errorId)].reduce((announced, [errorId, group]) => {
    const proposals = group.map(({ proposal }) => proposal);
    return replyApprovalsSuspended(announced, errorId, proposals);
  }, builder);
}

/** Lists proposals whose approvals no longer count because of an internal error. */
export function replyApprovalsSuspended(
  builder: StepBuilder,
  errorId: string,
  proposals: readonly Proposal[],
): StepBuilder {
  const reply = { kind: 'approvals-suspended', errorId, proposals: proposals.map(proposalLink) } as const;
  return withReply(builder, { at: 'pull-request' }, reply);
}
