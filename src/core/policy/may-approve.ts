import { type Change, pathsOf } from '../edits/change.ts';
import type { Proposal } from '../state/proposal.ts';
import {
  APPROVER_DEMANDS,
  type ApproverRole,
  type CodeOwners,
  type Settings,
  stricterRole,
} from '../state/settings.ts';
import { approvalVotes, canApprove, type Permission, type Person, type Vote } from '../state/vote.ts';
import type { ApprovalsMissing, ApproverRefusal } from '../step/reasons.ts';
import { hasUnreadTeam, isOwner } from './code-owners.ts';
import { findDeniedPath } from './path-policy.ts';
import { coveringRows } from './paths.ts';

/** The settings that say what a change needs. */
export type NeedSettings = Pick<Settings, 'approvers' | 'requiredApprovals' | 'require'>;

/** The repository's rules for approvers, its code owners, and the two people that a rule can name. */
export type ApprovalRules = NeedSettings &
  Pick<Settings, 'requireNonAuthor' | 'requireNonRequester' | 'rules' | 'operatorRules'> & {
    /** Null where they were not read: then nobody owns a path. */
    readonly codeOwners: CodeOwners | null;
    /** The author of the pull request; null if the account was deleted. */
    readonly author: Person | null;
    /** The author of the current run's task. For an undo, the author of the `/undo` takes its place. */
    readonly requester: Person | null;
  };

/** The parts of a proposal that the rules read. */
type ApprovableProposal = Pick<Proposal, 'change' | 'origin' | 'writers'>;

/** Whether this person's approval of a proposal counts, or why it does not. */
export function mayApprove(
  proposal: ApprovableProposal,
  { person, permission }: { readonly person: Person; readonly permission: Permission },
  rules: ApprovalRules,
): 'yes' | ApproverRefusal {
  const { login } = person;
  const denied = findDeniedPath(rules, proposal);
  if (denied !== null) return { kind: 'denied-path', ...denied };
  const { approvals, role, ownedPaths } = approvalNeed(proposal.change, rules);
  if (!hasRole(permission, role)) return { kind: 'role-missing', login, role: canApprove(permission) ? role : 'write' };
  const { codeOwners } = rules;
  const [path] = ownedPaths;
  // Where several people must approve, people who own nothing count beside the owners.
  if (path !== undefined && approvals === 1 && !ownedPaths.some((one) => isOwner(person, one, codeOwners)))
    return { kind: 'not-owner', login, path, isTeamUnread: hasUnreadTeam(path, codeOwners) };
  if (rules.requireNonAuthor && rules.author?.id === person.id) return { kind: 'is-author', login };
  const isRequester = requestersOf(proposal, rules).some(({ id }) => id === person.id);
  return rules.requireNonRequester && isRequester ? { kind: 'is-requester', login } : 'yes';
}

function hasRole(permission: Permission, role: ApproverRole): boolean {
  return role === 'write' ? canApprove(permission) : permission === role || permission === 'admin';
}

/** Who gave the task or the `/undo`, and who wrote own lines of the change. */
function requestersOf({ origin, writers }: ApprovableProposal, { requester }: ApprovalRules): readonly Person[] {
  const by = origin.kind === 'undo' ? origin.by : requester;
  return by === null ? writers : [by, ...writers];
}

/** The demands of a change on the people who approve it. */
type ApprovalNeed = {
  /** How many people must approve. */
  readonly approvals: number;
  /** The least role of each of them. */
  readonly role: ApproverRole;
  /** Paths that each need the approval of one of their code owners. */
  readonly ownedPaths: readonly string[];
};

/** The strictest that matches any path of the change; never less than the repository's own rule. */
export function approvalNeed(change: Change, settings: NeedSettings): ApprovalNeed {
  const own = { paths: [], approvals: settings.requiredApprovals, approvers: settings.approvers };
  const demands = pathsOf(change).map((path) => {
    const rows = [own, ...coveringRows(settings.require, path).map(({ row }) => row)];
    return { path, rows: rows.map((row) => ({ ...row, ...APPROVER_DEMANDS[row.approvers ?? 'write'] })) };
  });
  const rows = demands.flatMap((one) => one.rows);
  return {
    approvals: Math.max(1, ...rows.map((row) => row.approvals ?? 1)),
    role: rows.map((row) => row.role).reduce(stricterRole),
    ownedPaths: demands.filter((one) => one.rows.some((row) => row.codeOwners)).map(({ path }) => path),
  };
}

/**
 * The approvals that count, at most one per person: for the current content, of people who may approve. `permissionOf`
 * returns a voter's permission, either at the time of the vote or now.
 */
export function countedApprovals(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): readonly Vote[] {
  const counting = approvalVotes(proposal).filter((vote) => {
    return mayApprove(proposal, { person: vote.by, permission: permissionOf(vote) }, rules) === 'yes';
  });
  return [...new Map(counting.map((vote) => [vote.by.id, vote])).values()];
}

/** The approvals that a change still needs if these people's count; null if they are enough. */
export function missingApprovals(
  { change }: Pick<Proposal, 'change'>,
  counted: readonly Person[],
  rules: ApprovalRules,
): ApprovalsMissing | null {
  const { approvals, ownedPaths } = approvalNeed(change, rules);
  const missing = Math.max(0, approvals - new Set(counted.map(({ id }) => id)).size);
  const path = ownedPaths.find((one) => !counted.some((person) => isOwner(person, one, rules.codeOwners))) ?? null;
  return missing === 0 && path === null ? null : { kind: 'approvals-missing', missing, path };
}

/** Whether enough approvals count, and there is neither a denial nor a request for changes. */
export function isApproved(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): boolean {
  if (proposal.votes.some(({ action }) => action === 'deny' || action === 'edit')) return false;
  const counted = countedApprovals(proposal, rules, permissionOf).map(({ by }) => by);
  return missingApprovals(proposal, counted, rules) === null;
}

/** A person's relation to the pull request. An `author` has no write access. */
export type Role = 'writer' | 'author' | 'outsider';

/** Who can use a command: people with write access only, or also the author of the pull request. */
export type RequiredRole = 'writer' | 'writer-or-author';

export function roleOf(permission: Permission | undefined, person: Person, author: Person | null): Role {
  if (canApprove(permission)) return 'writer';
  return author !== null && author.id === person.id ? 'author' : 'outsider';
}

export function isAllowed(role: Role, allowedTo: RequiredRole): boolean {
  return role === 'writer' || (role === 'author' && allowedTo === 'writer-or-author');
}
