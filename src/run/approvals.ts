import { type ApprovalRules, countingApprovals, isApproved, objectionTo, rulesOf } from '../policy/approval-rules.ts';
import { approvalsOf } from '../policy/approvals.ts';
import type { Settings, SettingsReading } from '../policy/settings.ts';
import type { Doubt } from './answer.ts';
import { showing } from './batch.ts';
import { type Draft, withProposal, withVote } from './draft.ts';
import type { Facts } from './facts.ts';
import type { Permission, Person, Proposal, Vote } from './proposal.ts';
import type { Run } from './run.ts';
import { moved } from './transition.ts';

/** What the settings ask of the approvers of a run's changes. */
export function rulesFor(settings: Settings, run: Run | null): ApprovalRules {
  return { ...settings, author: run?.pullAuthor ?? null, requester: run?.task.by ?? null };
}

/** Whether a person's approval of any of these could count now, as far as it is known: nothing more is asked on behalf of others. */
export function mayCount(facts: Facts, person: Person, proposals: readonly Proposal[], run: Run | null): boolean {
  const now = rulesNow(facts.settings, run);
  if (now.kind !== 'rules') return false;
  return proposals.some((one) => doubtAbout(person, facts.permission ?? 'none', one, now.rules) === null);
}

/** The rules as they are now; settings that were not read count as broken. */
export function rulesNow(
  reading: SettingsReading | undefined,
  run: Run | null,
): { readonly kind: 'rules'; readonly rules: ApprovalRules } | Extract<Doubt, { kind: 'broken-settings' }> {
  return reading?.kind === 'settings'
    ? { kind: 'rules', rules: rulesFor(reading.settings, run) }
    : { kind: 'broken-settings', problems: reading?.problems ?? [] };
}

/** Whether a person's approval of this proposal would count now. */
export function doubtAbout(
  person: Person,
  permission: Permission,
  proposal: Proposal,
  rules: ApprovalRules,
): Extract<Doubt, { kind: 'objection' }> | null {
  const objection = objectionTo({ person, permission }, rulesOf(proposal, rules), proposal.change.path);
  return objection === null ? null : { kind: 'objection', objection, login: person.login };
}

/** Whoever approved it, counting or not. */
export function approvers(proposal: Proposal): readonly Person[] {
  return approvalsOf(proposal).map((vote) => vote.by);
}

function permissionThen(vote: Vote): Permission {
  return vote.permission;
}

/** How many more people have to approve this, as far as the votes tell. */
export function missingApprovals(proposal: Proposal, rules: ApprovalRules): number {
  return Math.max(0, rules.requiredApprovals - countingApprovals(proposal, rules, permissionThen).length);
}

/** How many more people than this one and those who approved already would have to approve it. */
export function missingBeside(person: Person, proposal: Proposal, rules: ApprovalRules): number {
  const others = countingApprovals(proposal, rules, permissionThen).filter((vote) => vote.by.id !== person.id);
  return Math.max(0, rules.requiredApprovals - others.length - 1);
}

/**
 * Adds an approval that counts, unless that person's does already, and approves the proposal once they are enough.
 * Whoever approves what is approved already counts too: should another's vote lapse, this one stands.
 */
export function withApproval(draft: Draft, proposal: Proposal, vote: Vote, rules: ApprovalRules, at: string): Draft {
  const known = countingApprovals(proposal, rules, permissionThen).some((one) => one.by.id === vote.by.id);
  const voted = known ? draft : withVote(draft, vote);
  const current = voted.pull.proposals.find((one) => one.id === proposal.id) ?? proposal;
  const counted = { ...current, requiredApprovals: rules.requiredApprovals };
  if (current.state === 'approved') return voted;
  return isApproved(counted, rules, permissionThen)
    ? withProposal(voted, moved(counted, 'approved', at))
    : showing(withProposal(voted, counted), counted);
}
