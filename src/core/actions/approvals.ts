import { approvalLapsed } from '../messages/approval-replies.ts';
import {
  type ApprovalRules,
  approvalNeed,
  countedApprovals,
  isApproved,
  mayApprove,
  missingApprovals,
  type NeedSettings,
} from '../policy/may-approve.ts';
import { isBeforeCommit, type Proposal, transition } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { type CodeOwners, combineApprovers, type SettingsReading } from '../state/settings.ts';
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
import type { ApprovalBlock, ApprovalsMissing } from '../step/reasons.ts';
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
  const { pullAuthor: author = null, task } = run ?? {};
  const people = { codeOwners: codeOwners ?? null, author, requester: task?.by ?? null };
  return { kind: 'rules', rules: { ...reading.settings, ...people } };
}

/** The paths of changes for which the settings ask for an owner; null if there are none. */
export function codeOwnersQuery(
  proposals: readonly Pick<Proposal, 'change'>[],
  people: readonly Person[],
  settings: NeedSettings,
): { readonly paths: readonly string[]; readonly people: readonly Person[] } | null {
  const paths = new Set(proposals.flatMap(({ change }) => approvalNeed(change, settings).ownedPaths));
  return paths.size === 0 ? null : { paths: [...paths], people: distinctPeople(people) };
}

/** The owners that a person's decision needs. Earlier approvals of others count by the owners as they are now. */
export function votingOwnerNeeds(
  person: Person,
  proposals: readonly Proposal[],
  facts: Pick<Facts, 'codeOwners' | 'settings'>,
): readonly Need[] {
  if (facts.settings?.kind !== 'settings' || facts.codeOwners !== undefined) return [];
  const query = codeOwnersQuery(proposals, [person, ...proposals.flatMap(approversOf)], facts.settings.settings);
  return query === null ? [] : [{ kind: 'code-owners', ...query }];
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
  const approver = { person, permission: facts.permission ?? 'none' };
  return proposals.some((one) => mayApprove(one, approver, current.rules) === 'yes');
}

/** Everyone who approved it, including those whose approval does not count. */
export function approversOf(proposal: Proposal): readonly Person[] {
  return approvalVotes(proposal).map((vote) => vote.by);
}

function permissionAtVote(vote: Vote): Permission {
  return vote.permission;
}

/** The approvals that it still needs, by the permissions that people had when they approved; null if it has enough. */
export function missingNow(proposal: Proposal, rules: ApprovalRules): ApprovalsMissing | null {
  return missingApprovals(proposal, countedPeople(proposal, rules), rules);
}

/** Whether nothing is missing once this person's approval counts beside those of others so far. */
export function isEnoughWith(person: Person, proposal: Proposal, rules: ApprovalRules): boolean {
  return missingApprovals(proposal, [...countedPeople(proposal, rules), person], rules) === null;
}

function countedPeople(proposal: Proposal, rules: ApprovalRules): readonly Person[] {
  return countedApprovals(proposal, rules, permissionAtVote).map(({ by }) => by);
}

/** The proposal with what its comment says about approvals. */
export function withNeeded(proposal: Proposal, rules: NeedSettings): Proposal {
  const { approvals: requiredApprovals, role, ownedPaths } = approvalNeed(proposal.change, rules);
  const requiredApprovers = combineApprovers(role, ownedPaths.length > 0 ? 'codeowners' : 'write');
  return { ...proposal, requiredApprovals, requiredApprovers };
}

/** Whether an approval of this person counts already. */
export function hasCountedApproval({ id }: Person, proposal: Proposal, rules: ApprovalRules): boolean {
  return countedPeople(proposal, rules).some((one) => one.id === id);
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

/**
 * A comment or event that could be a denial was not read, so earlier approvals no longer count: what they approved is
 * pending again. A commit attempt is left to its outcome, and is not repeated with these approvals.
 */
export function withdrawApprovals(builder: StepBuilder, errorId: string | null, now: string): StepBuilder {
  const approved = builder.pull.proposals.filter((one) => one.votes.some(isApprovalVote));
  const marked = approved
    .filter(({ state }) => state === 'executing')
    .reduce((next, one) => withProposal(next, { ...one, note: one.note ?? COMMENT_UNREAD_NOTE }), builder);
  const open = approved.filter(isBeforeCommit);
  const cleared = open.reduce((next, one) => clearApprovals(next, one, now), marked);
  return announceLapses(
    cleared,
    open.map((proposal) => ({ proposal, block: { kind: 'comment-unread', errorId } })),
  );
}

const COMMENT_UNREAD_NOTE = 'a comment or event that could be a denial was not read';

/** Removes all approvals; the proposal is pending again. */
export function clearApprovals(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const cleared = { ...proposal, votes: proposal.votes.filter((vote) => !isApprovalVote(vote)), note: null };
  const pending = cleared.state === 'proposed' ? withProposal(builder, cleared) : reopenProposal(builder, cleared, now);
  return queueCommentUpdate(pending, proposal);
}

/** Why the approvals of a proposal are no longer enough. */
export type Lapse = { readonly proposal: Proposal; readonly block: ApprovalBlock };

/** One reply for each reason that made proposals pending again. */
export function announceLapses(builder: StepBuilder, lapses: readonly Lapse[]): StepBuilder {
  return [...Map.groupBy(lapses, ({ block }) => JSON.stringify(block)).values()].reduce((announced, group) => {
    const [first] = group;
    if (first === undefined) return announced;
    const proposals = group.map(({ proposal }) => proposal);
    return withReply(announced, { at: 'pull-request' }, approvalLapsed(first.block, proposals));
  }, builder);
}
