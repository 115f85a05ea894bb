import { approvalNeed, type NeedSettings, ownedPath } from '../policy/approval-need.ts';
import {
  type ApprovalRules,
  countedApprovals,
  findObjection,
  isApproved,
  type MissingApprovals,
  missingApprovals,
  missingWith,
} from '../policy/may-approve.ts';
import { findDeniedPath } from '../policy/path-policy.ts';
import type { Proposal } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import type { Run } from '../state/run.ts';
import { type CodeOwners, combineApprovers, type Settings, type SettingsReading } from '../state/settings.ts';
import {
  approvalVotes,
  distinctPeople,
  isApprovalVote,
  type Permission,
  type Person,
  usesStandingApproval,
  type Vote,
} from '../state/vote.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { ApprovalBlock, UnapprovedPath } from '../step/refusals.ts';
import { proposalLink } from '../step/reply-links.ts';
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
  codeOwners: CodeOwners | null | undefined,
): { readonly kind: 'rules'; readonly rules: ApprovalRules } | Extract<ApprovalBlock, { kind: 'settings-broken' }> {
  if (reading?.kind !== 'settings') return { kind: 'settings-broken', problems: reading?.problems ?? [] };
  return { kind: 'rules', rules: approvalRules(reading.settings, run, codeOwners) };
}

function approvalRules(settings: Settings, run: Run | null, codeOwners: CodeOwners | null | undefined): ApprovalRules {
  const { pullAuthor: author = null, task } = run ?? {};
  return { ...settings, codeOwners: codeOwners ?? null, author, requester: task?.by ?? null };
}

/** The owners that a decision about these changes needs: those of the paths for which the settings ask for one. */
function codeOwnerNeeds(
  changes: readonly Pick<Proposal, 'change'>[],
  people: readonly Person[],
  settings: NeedSettings,
  facts: Pick<Facts, 'codeOwners'>,
): readonly Need[] {
  if (facts.codeOwners !== undefined) return [];
  const query = codeOwnersQuery(changes, people, settings);
  return query === null ? [] : [{ kind: 'code-owners', ...query }];
}

/** The paths of changes for which the settings ask for an owner; null if there are none. */
export function codeOwnersQuery(
  changes: readonly Pick<Proposal, 'change'>[],
  people: readonly Person[],
  settings: NeedSettings,
): { readonly paths: readonly string[]; readonly people: readonly Person[] } | null {
  const paths = new Set(changes.flatMap((change) => approvalNeed(change, settings).ownedPaths));
  return paths.size === 0 ? null : { paths: [...paths], people: distinctPeople(people) };
}

/** The owners that a person's decision needs. Earlier approvals of others count by the owners as they are now. */
export function votingOwnerNeeds(
  person: Person,
  proposals: readonly Proposal[],
  facts: Pick<Facts, 'codeOwners' | 'settings'>,
): readonly Need[] {
  if (facts.settings?.kind !== 'settings') return [];
  return codeOwnerNeeds(proposals, [person, ...proposals.flatMap(approversOf)], facts.settings.settings, facts);
}

/** Whether the person's approval of any of these could count, so that no request is spent on a useless approval. */
export function couldApprovalCount(
  facts: Facts,
  person: Person,
  proposals: readonly Proposal[],
  run: Run | null,
): boolean {
  const current = currentApprovalRules(facts.settings, run, facts.codeOwners);
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
  if (objection === null) return null;
  const { roleBy, ownersBy, ownedPaths } = approvalNeed(proposal, rules);
  const isAboutOwners = objection === 'no-code-owner' || objection === 'not-code-owner';
  const setting = isAboutOwners ? ownersBy : roleBy;
  const owned = isAboutOwners ? firstOwned(ownedPaths, rules.codeOwners) : null;
  return { kind: 'objection', objection, login: person.login, setting, owned };
}

const MAX_OWNERS = 10;

/** The path that a reply names: one without an owner, or else the first one. */
function firstOwned(paths: readonly string[], codeOwners: CodeOwners | null): UnapprovedPath | null {
  const all = paths.map((path) => ownedPath(path, codeOwners));
  const first = all.find(({ owners }) => owners.length === 0) ?? all[0];
  if (first === undefined) return null;
  const owners = first.owners.slice(0, MAX_OWNERS);
  const teams = codeOwners?.teams ?? {};
  const unreadableTeams = owners.filter((owner) => teams[owner.toLowerCase()] === null);
  return { path: first.path, owners, unreadableTeams };
}

/** Everyone who approved it, including those whose approval does not count. */
export function approversOf(proposal: Proposal): readonly Person[] {
  return approvalVotes(proposal).map((vote) => vote.by);
}

function permissionAtVote(vote: Vote): Permission {
  return vote.permission;
}

/** The approvals that it still needs, by the permissions that people had when they approved. */
export function missingNow(proposal: Proposal, rules: ApprovalRules): MissingApprovals {
  return missingApprovals(proposal, rules, permissionAtVote);
}

/** Whether nothing is missing once this person's approval counts beside those of others so far. */
export function isEnoughWith(person: Person, proposal: Proposal, rules: ApprovalRules): boolean {
  const others = countedApprovals(proposal, rules, permissionAtVote).map(({ by }) => by);
  const { approvals, paths } = missingWith(distinctPeople([...others, person]), proposal, rules);
  return approvals === 0 && paths.length === 0;
}

/** The proposal with what its comment says about approvals. */
export function withNeeded(proposal: Proposal, rules: NeedSettings): Proposal {
  const { approvals: requiredApprovals, role, ownedPaths } = approvalNeed(proposal, rules);
  const requiredApprovers = combineApprovers(role, ownedPaths.length > 0 ? 'codeowners' : 'write');
  return { ...proposal, requiredApprovals, requiredApprovers };
}

/** Updates the comments of pending proposals that say otherwise what these still need, and no other comment. */
export function showCurrentNeeds(
  builder: StepBuilder,
  proposals: readonly Proposal[],
  rules: ApprovalRules,
): StepBuilder {
  return proposals.reduce((next, one) => {
    const current = withNeeded(one, rules);
    return neededKey(current) === neededKey(one) ? next : queueCommentUpdate(withProposal(next, current), current);
  }, builder);
}

function neededKey({ requiredApprovals, requiredApprovers }: Proposal): string {
  return `${requiredApprovals} ${requiredApprovers}`;
}

/** Whether an approval of this person counts already. */
export function hasCountedApproval({ id }: Person, proposal: Proposal, rules: ApprovalRules): boolean {
  return countedApprovals(proposal, rules, permissionAtVote).some(({ by }) => by.id === id);
}

/**
 * Records an approval that counts, and approves the proposal once enough people approve. An approval of an approved
 * proposal, or of a person whose approval counts already, is recorded too: it stands if the other one lapses.
 */
export function recordApproval(
  builder: StepBuilder,
  proposal: Proposal,
  vote: Vote,
  rules: ApprovalRules,
  at: string,
): StepBuilder {
  const isUseless = usesStandingApproval(vote) && hasCountedApproval(vote.by, proposal, rules);
  const voted = isUseless ? builder : recordVote(builder, vote);
  const current = withNeeded(currentProposal(voted, proposal), rules);
  if (current.state === 'approved') return voted;
  return isApproved(current, rules, permissionAtVote)
    ? withProposal(voted, transition(current, 'approved', at))
    : queueCommentUpdate(withProposal(voted, current), current);
}

/** A commit attempt by approvals that an unreadable comment could have revoked is left to its outcome, and is the last. */
export function preventRetries(builder: StepBuilder, why: string): StepBuilder {
  const executing = builder.pull.proposals.filter((one) => one.state === 'executing' && one.votes.some(isApprovalVote));
  return executing.reduce((next, one) => withProposal(next, { ...one, note: one.note ?? why }), builder);
}

/** Removes all approvals; the proposal is pending again. */
export function clearApprovals(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const votes = proposal.votes.filter((vote) => !isApprovalVote(vote));
  const cleared = { ...proposal, votes };
  const pending = cleared.state === 'proposed' ? withProposal(builder, cleared) : reopenProposal(builder, cleared, now);
  return queueCommentUpdate(pending, proposal);
}

/** Lists proposals whose approvals no longer count because a comment could not be read. */
export function replyApprovalsSuspended(
  builder: StepBuilder,
  errorId: string | null,
  proposals: readonly Proposal[],
): StepBuilder {
  const reply = { kind: 'approvals-suspended', errorId, proposals: proposals.map(proposalLink) } as const;
  return withReply(builder, { at: 'pull-request' }, reply);
}
