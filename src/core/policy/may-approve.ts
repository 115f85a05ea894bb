import { hash } from 'node:crypto';
import type { Proposal } from '../state/proposal.ts';
import type { CodeOwners, Settings } from '../state/settings.ts';
import {
  approvalVotes,
  canApprove,
  type Permission,
  type Person,
  usesStandingApproval,
  type Vote,
} from '../state/vote.ts';
import {
  type VoteLocation,
  type VoteProblem,
  type VoteSource,
  type VoteSources,
  voteLocationOf,
  voteSourceKey,
} from '../state/vote-source.ts';
import type { Objection } from '../step/refusals.ts';
import {
  type ApprovalNeed,
  approvalNeed,
  identifiesPeople,
  isOwner,
  type OwnedPath,
  ownedPath,
} from './approval-need.ts';
import { findDeniedPath } from './path-policy.ts';

/** Whether enough approvals count, and there is neither a denial nor a request for changes. */
export function isApproved(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): boolean {
  const denied = proposal.votes.some((vote) => vote.action === 'deny' || vote.action === 'edit');
  if (denied) return false;
  const { approvals, paths } = missingApprovals(proposal, rules, permissionOf);
  return approvals === 0 && paths.length === 0;
}

/** The approvals that a proposal still needs: a number of people, and for each of these paths one of its owners. */
export type MissingApprovals = { readonly approvals: number; readonly paths: readonly OwnedPath[] };

export function missingApprovals(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): MissingApprovals {
  const counted = countedApprovals(proposal, rules, permissionOf).map(({ by }) => by);
  return missingWith(counted, proposal, rules);
}

/** The approvals that a proposal still needs if exactly these people's count. */
export function missingWith(
  counted: readonly Person[],
  proposal: Pick<Proposal, 'change'>,
  rules: ApprovalRules,
): MissingApprovals {
  const { approvals, ownedPaths } = approvalNeed(proposal, rules);
  const { codeOwners } = rules;
  const paths = ownedPaths
    .map((path) => ownedPath(path, codeOwners))
    .filter((owned) => !counted.some((person) => isOwner(person, owned, codeOwners)));
  return { approvals: Math.max(0, approvals - counted.length), paths };
}

/**
 * The approvals that count, at most one per person: for the current content, and without an objection. `permissionOf`
 * returns a voter's permission, either at the time of the vote or now.
 */
export function countedApprovals(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): readonly Vote[] {
  const counting = approvalVotes(proposal).filter((vote) => {
    const approver = { person: vote.by, permission: permissionOf(vote) };
    return findObjection(approver, rules, proposal) === null;
  });
  return [...new Map(counting.map((vote) => [vote.by.id, vote])).values()];
}

/** Why this person's approval of a proposal does not count; null if it does. */
export function findObjection(approver: Approver, rules: ApprovalRules, proposal: ProposedByPerson): Objection | null {
  const need = approvalNeed(proposal, rules);
  return APPROVAL_RULES.find(({ objectsTo }) => objectsTo(approver, rules, proposal, need))?.objection ?? null;
}

/** The repository's rules for approvers, its code owners, and the two people that a rule can name. */
export type ApprovalRules = Pick<
  Settings,
  'approvers' | 'requireNonAuthor' | 'requireNonRequester' | 'requiredApprovals' | 'require' | 'rules' | 'operatorRules'
> & {
  /** Null where they were not read: then nobody owns a path. */
  readonly codeOwners: CodeOwners | null;
  /** The author of the pull request; null if the account was deleted. */
  readonly author: Person | null;
  /** The author of the current run's task. For an undo, the author of the `/undo` takes its place. */
  readonly requester: Person | null;
};

/** A person who approves, and their permission on the repository. */
type Approver = { readonly person: Person; readonly permission: Permission };

/** The parts of a proposal that the rules read. */
type ProposedByPerson = Pick<Proposal, 'change' | 'origin' | 'writers'>;

/** One rule, which can object to a person's approval of a proposal. */
type ApprovalRule = {
  readonly objection: Objection;
  readonly objectsTo: (
    approver: Approver,
    rules: ApprovalRules,
    proposal: ProposedByPerson,
    need: ApprovalNeed,
  ) => boolean;
};

/**
 * In the order in which people see them. A person who owns none of the paths helps only where several people must
 * approve.
 */
const APPROVAL_RULES: readonly ApprovalRule[] = [
  { objection: 'denied-path', objectsTo: (_approver, rules, proposal) => findDeniedPath(rules, proposal) !== null },
  { objection: 'no-write-access', objectsTo: ({ permission }) => !canApprove(permission) },
  {
    objection: 'below-maintain',
    objectsTo: ({ permission }, _rules, _proposal, { role }) => role === 'maintain' && permission === 'write',
  },
  {
    objection: 'below-admin',
    objectsTo: ({ permission }, _rules, _proposal, { role }) => role === 'admin' && permission !== 'admin',
  },
  {
    objection: 'no-code-owner',
    objectsTo: (_approver, { codeOwners }, _proposal, { ownedPaths }) =>
      ownedPaths.some(
        (path) => !ownedPath(path, codeOwners).owners.some((owner) => identifiesPeople(owner, codeOwners)),
      ),
  },
  {
    objection: 'not-code-owner',
    objectsTo: ({ person }, { codeOwners }, _proposal, { ownedPaths, approvals }) =>
      approvals === 1 &&
      ownedPaths.length > 0 &&
      !ownedPaths.some((path) => isOwner(person, ownedPath(path, codeOwners), codeOwners)),
  },
  {
    objection: 'is-author',
    objectsTo: ({ person }, { requireNonAuthor, author }) => requireNonAuthor && author?.id === person.id,
  },
  {
    objection: 'is-requester',
    objectsTo: ({ person }, rules, proposal) =>
      rules.requireNonRequester && requestersOf(proposal, rules).some(({ id }) => id === person.id),
  },
];

/** Who gave the task or the `/undo`, and who wrote own lines of the change. */
function requestersOf({ origin, writers }: ProposedByPerson, { requester }: ApprovalRules): readonly Person[] {
  const by = origin.kind === 'undo' ? origin.by : requester;
  return by === null ? writers : [by, ...writers];
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

/** The comments and reviews to read again before these proposals are committed, each once. A standing approval is a row. */
export function voteLocations(proposals: readonly Proposal[]): readonly VoteLocation[] {
  const votes = proposals.flatMap(approvalVotes).filter((vote) => !usesStandingApproval(vote));
  const locations = votes.flatMap((vote) => voteLocationOf(vote) ?? []);
  return [...new Map(locations.map((location) => [voteSourceKey(location), location])).values()];
}

/** The comment or review of a vote; null if GitHub has none, or if it was not read. */
function voteSourceOf(vote: Vote, sources: VoteSources): VoteSource | null {
  const location = voteLocationOf(vote);
  if (location === null) return null;
  const key = voteSourceKey(location);
  return Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
}

/**
 * Why a vote's comment is not the one that was counted: same id, author, login, time, thread and text, and of a review
 * that nobody dismissed; null if it is.
 */
export function findSourceProblem(vote: Vote, sources: VoteSources): VoteProblem | null {
  const source = voteSourceOf(vote, sources);
  if (source === null) return 'missing';
  if (source.authorId !== vote.by.id || source.viaApp) return 'not-theirs';
  if (source.reviewState === 'dismissed') return 'dismissed';
  if (!isSameLogin(vote, source)) return 'renamed';
  if (!hasBodyHash(source.body, vote.bodyHash)) return 'edited';
  return isSameTime(vote, source) && isSameThread(vote, source) ? null : 'not-theirs';
}

function isSameLogin({ by }: Vote, { authorLogin }: VoteSource): boolean {
  return authorLogin === null || authorLogin.toLowerCase() === by.login.toLowerCase();
}

/** A forged delivery can name a real comment with a later time, as if it were about a later change. */
function isSameTime({ writtenAt }: Vote, { createdAt }: VoteSource): boolean {
  return writtenAt !== null && createdAt !== null && Date.parse(createdAt) === Date.parse(writtenAt);
}

/** A forged delivery can name a real comment in another thread, as if its lines were about that thread's change. */
function isSameThread({ thread: counted }: Vote, { thread: shown }: VoteSource): boolean {
  if (counted === null || shown === null) return counted === shown;
  return counted.rootId === shown.rootId && counted.reviewId === shown.reviewId;
}

/** The hash is that of the webhook's text. The line ends of webhooks and API responses can differ. */
function hasBodyHash(body: string, bodyHash: string | null): boolean {
  const lines = body.replaceAll('\r\n', '\n');
  const forms = new Set([body, lines, lines.replaceAll('\n', '\r\n')]);
  return [...forms].some((form) => hash('sha256', form, 'hex') === bodyHash);
}
