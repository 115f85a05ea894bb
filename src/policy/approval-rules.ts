import type { Permission, Person, Proposal, Vote } from '../run/proposal.ts';
import { approvalsOf } from './approvals.ts';
import { maySign } from './roles.ts';
import type { Settings } from './settings.ts';

/** What the repository asks of those who approve, and the two people whom a rule may name. */
export type ApprovalRules = Pick<
  Settings,
  'approvers' | 'requireNonAuthor' | 'requireNonRequester' | 'requiredApprovals'
> & {
  /** Who wrote the pull request; null where that account is gone. */
  readonly author: Person | null;
  /** Who gave the task; of an undo, `rulesOf` puts whoever asked for it in this place. */
  readonly requester: Person | null;
};

/** Somebody who approves, and what they may do on the repository. */
export type Approver = { readonly person: Person; readonly permission: Permission };

/** Why somebody's approval does not count. */
export type Objection =
  | 'no-write-access'
  | 'below-maintain'
  | 'below-admin'
  | 'no-code-owner'
  | 'wrote-the-pull-request'
  | 'gave-the-task';

/** One of our rules: whether it objects to somebody's approval of a change to this path. */
type Rule = {
  readonly objection: Objection;
  readonly objects: (approver: Approver, rules: ApprovalRules, path: string) => boolean;
};

/**
 * In the order in which they are named to people. The owners of a path are not read yet, so nobody is one:
 * `approvers: codeowners` lets nobody approve.
 */
const RULES: readonly Rule[] = [
  { objection: 'no-write-access', objects: ({ permission }) => !maySign(permission) },
  {
    objection: 'below-maintain',
    objects: ({ permission }, { approvers }) =>
      approvers === 'maintain' && permission !== 'maintain' && permission !== 'admin',
  },
  {
    objection: 'below-admin',
    objects: ({ permission }, { approvers }) => approvers === 'admin' && permission !== 'admin',
  },
  { objection: 'no-code-owner', objects: (_approver, { approvers }, _path) => approvers === 'codeowners' },
  {
    objection: 'wrote-the-pull-request',
    objects: ({ person }, { requireNonAuthor, author }) => requireNonAuthor && author?.id === person.id,
  },
  {
    objection: 'gave-the-task',
    objects: ({ person }, { requireNonRequester, requester }) => requireNonRequester && requester?.id === person.id,
  },
];

/** The same rules for one proposal: nobody but the one who asked for it is its requester. */
export function rulesOf({ origin }: Proposal, rules: ApprovalRules): ApprovalRules {
  return origin.kind === 'undo' ? { ...rules, requester: origin.by } : rules;
}

/** Why this person's approval of a change to this path does not count; null where it does. */
export function objectionTo(approver: Approver, rules: ApprovalRules, path: string): Objection | null {
  return RULES.find(({ objects }) => objects(approver, rules, path))?.objection ?? null;
}

/**
 * The approvals of a proposal that count, each person's once: given for what it shows, by somebody whom no rule objects
 * to. `permissionOf` says what a voter may do: at the time of the vote, or now.
 */
export function countingApprovals(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): readonly Vote[] {
  const counting = approvalsOf(proposal).filter((vote) => {
    const approver = { person: vote.by, permission: permissionOf(vote) };
    return objectionTo(approver, rulesOf(proposal, rules), proposal.change.path) === null;
  });
  return [...new Map(counting.map((vote) => [vote.by.id, vote])).values()];
}

/** Whether as many people approved as the repository asks for, and nobody said no or asked for something else. */
export function isApproved(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): boolean {
  const denied = proposal.votes.some((vote) => vote.action === 'deny' || vote.action === 'edit');
  return !denied && countingApprovals(proposal, rules, permissionOf).length >= Math.max(1, rules.requiredApprovals);
}
