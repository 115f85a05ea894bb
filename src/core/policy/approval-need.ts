import { type Change, pathsOf } from '../edits/change.ts';
import {
  APPROVER_DEMANDS,
  type ApprovalRequirement,
  type ApproverRole,
  type CodeOwners,
  type Settings,
  stricterRole,
} from '../state/settings.ts';
import { compilePathRules } from './path-rules.ts';

/** The settings that say who must approve a change. */
export type NeedSettings = Pick<Settings, 'approvers' | 'requiredApprovals' | 'require'>;

/** The demands of a change on the people who approve it. */
export type ApprovalNeed = {
  /** How many people must approve. */
  readonly approvals: number;
  /** The least role of each of them. */
  readonly role: ApproverRole;
  /** Paths that each need the approval of one of their code owners. */
  readonly ownedPaths: readonly string[];
  /** The setting that demands this role, and the one that demands code owners. */
  readonly roleBy: DemandingSetting;
  readonly ownersBy: DemandingSetting;
};

/** The repository's own rule, or one for some paths. */
type DemandingSetting = 'approvers' | 'require';

/** The strictest that matches any path of the change; never less than the repository's own rule. */
export function approvalNeed({ change }: { readonly change: Change }, settings: NeedSettings): ApprovalNeed {
  const own = APPROVER_DEMANDS[settings.approvers];
  const matches = requirementMatcher(settings.require);
  const demands = pathsOf(change).map((path) => ({ path, matching: matches(path) }));
  const matching = demands.flatMap((one) => one.matching);
  const approvals = Math.max(1, settings.requiredApprovals, ...matching.map((one) => one.approvals ?? 0));
  const role = matching.map(demandedRole).reduce(stricterRole, own.role);
  const ownedPaths = demands
    .filter(({ matching: ofPath }) => own.codeOwners || ofPath.some(demandsCodeOwner))
    .map(({ path }) => path);
  return {
    approvals,
    role,
    ownedPaths,
    roleBy: role === own.role ? 'approvers' : 'require',
    ownersBy: own.codeOwners ? 'approvers' : 'require',
  };
}

function demandedRole({ approvers }: ApprovalRequirement): ApproverRole {
  return APPROVER_DEMANDS[approvers ?? 'write'].role;
}

function demandsCodeOwner({ approvers }: ApprovalRequirement): boolean {
  return APPROVER_DEMANDS[approvers ?? 'write'].codeOwners;
}

type RequirementMatcher = (path: string) => readonly ApprovalRequirement[];

const MATCHERS = new WeakMap<readonly ApprovalRequirement[], RequirementMatcher>();

/** Finds all that match a path without case and Unicode form. */
function requirementMatcher(require: readonly ApprovalRequirement[]): RequirementMatcher {
  const known = MATCHERS.get(require);
  if (known !== undefined) return known;
  const compiled = require.map((requirement) => {
    return { requirement, covers: compilePathRules([{ globs: requirement.paths }]) };
  });
  const matcher: RequirementMatcher = (path) =>
    compiled.filter(({ covers }) => covers(path) !== null).map(({ requirement }) => requirement);
  MATCHERS.set(require, matcher);
  return matcher;
}

/** A path that needs the approval of one of these owners. */
export type OwnedPath = { readonly path: string; readonly owners: readonly string[] };

export function ownedPath(path: string, codeOwners: CodeOwners | null): OwnedPath {
  const owners = codeOwners?.owners ?? {};
  return { path, owners: Object.hasOwn(owners, path) ? (owners[path] ?? []) : [] };
}

/** Whether a person is one of the owners, by login or as a member of a team that the App can read. */
export function isOwner(
  person: { readonly id: number; readonly login: string },
  { owners }: OwnedPath,
  codeOwners: CodeOwners | null,
): boolean {
  const login = `@${person.login.toLowerCase()}`;
  const teams = codeOwners?.teams ?? {};
  return owners.some((owner) => {
    const name = owner.toLowerCase();
    if (!isTeam(name)) return name === login;
    return Object.hasOwn(teams, name) && teams[name]?.includes(person.id) === true;
  });
}

/** Whether an owner is `@login` or `@org/team` as GitHub writes them, and no e-mail address. */
export function namesAccount(owner: string): boolean {
  return ACCOUNT_NAME.test(owner);
}

const ACCOUNT_NAME = /^@[a-z\d][a-z\d-]*(?:_[a-z\d]+)?(?:\/[a-z\d][\w.-]*)?$/i;

/** `@org/team`, as against `@login` and an e-mail address. */
export function isTeam(owner: string): boolean {
  return owner.startsWith('@') && owner.includes('/');
}

/** Whether this owner identifies people: an e-mail address names no account, and the App cannot read some teams. */
export function identifiesPeople(owner: string, codeOwners: CodeOwners | null): boolean {
  if (!namesAccount(owner)) return false;
  const name = owner.toLowerCase();
  const teams = codeOwners?.teams ?? {};
  return !(isTeam(name) && Object.hasOwn(teams, name) && teams[name] === null);
}
