import { hash } from 'node:crypto';
import {
  approvalVotes,
  canApprove,
  type Permission,
  type Person,
  type Proposal,
  type Vote,
} from '../state/proposal.ts';
import type { Objection } from '../state/replies.ts';
import type { Settings, SettingsReading } from '../state/settings.ts';
import {
  type VoteLocation,
  type VoteProblem,
  type VoteSource,
  type VoteSources,
  voteLocationOf,
  voteSourceKey,
} from '../state/vote-source.ts';
import { findDeniedPath } from './path-policy.ts';

/** Whether enough approvals count, and there is neither a denial nor a request for changes. */
export function isApproved(
  proposal: Proposal,
  rules: ApprovalRules,
  permissionOf: (vote: Vote) => Permission,
): boolean {
  const denied = proposal.votes.some((vote) => vote.action === 'deny' || vote.action === 'edit');
  return !denied && countedApprovals(proposal, rules, permissionOf).length >= Math.max(1, rules.requiredApprovals);
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

/** Whether the rules ask for people besides the one who asked for a change. Settings that were not read might. */
export function asksForOtherPeople(reading: SettingsReading | undefined): boolean {
  if (reading?.kind !== 'settings') return true;
  const { requireNonAuthor, requireNonRequester, requiredApprovals } = reading.settings;
  return requireNonAuthor || requireNonRequester || requiredApprovals > 1;
}

/** Why this person's approval of a proposal does not count; null if it does. */
export function findObjection(approver: Approver, rules: ApprovalRules, proposal: ShapedProposal): Objection | null {
  return APPROVAL_RULES.find(({ objectsTo }) => objectsTo(approver, rules, proposal))?.objection ?? null;
}

/** The repository's rules for approvers, and the two people that a rule can name. */
export type ApprovalRules = Pick<
  Settings,
  'approvers' | 'requireNonAuthor' | 'requireNonRequester' | 'requiredApprovals' | 'rules' | 'operatorRules'
> & {
  /** The author of the pull request; null if the account was deleted. */
  readonly author: Person | null;
  /** The author of the current run's task. For an undo, the author of the `/undo` takes its place. */
  readonly requester: Person | null;
};

/** A person who approves, and their permission on the repository. */
type Approver = { readonly person: Person; readonly permission: Permission };

/** The parts of a proposal that the rules read. */
type ShapedProposal = Pick<Proposal, 'change' | 'origin' | 'shapers'>;

/** One rule, which can object to a person's approval of a proposal. */
type ApprovalRule = {
  readonly objection: Objection;
  readonly objectsTo: (approver: Approver, rules: ApprovalRules, proposal: ShapedProposal) => boolean;
};

/**
 * In the order in which people see them. Code owners are not implemented, so with `approvers: codeowners` no approval
 * counts.
 */
const APPROVAL_RULES: readonly ApprovalRule[] = [
  { objection: 'denied-path', objectsTo: (_approver, rules, proposal) => findDeniedPath(rules, proposal) !== null },
  { objection: 'no-write-access', objectsTo: ({ permission }) => !canApprove(permission) },
  {
    objection: 'below-maintain',
    objectsTo: ({ permission }, { approvers }) =>
      approvers === 'maintain' && permission !== 'maintain' && permission !== 'admin',
  },
  {
    objection: 'below-admin',
    objectsTo: ({ permission }, { approvers }) => approvers === 'admin' && permission !== 'admin',
  },
  { objection: 'not-code-owner', objectsTo: (_approver, { approvers }) => approvers === 'codeowners' },
  {
    objection: 'is-author',
    objectsTo: ({ person }, { requireNonAuthor, author }) => requireNonAuthor && author?.id === person.id,
  },
  {
    objection: 'is-requester',
    objectsTo: ({ person }, rules, proposal) =>
      rules.requireNonRequester && requesterOf(proposal, rules)?.id === person.id,
  },
  {
    objection: 'is-instructor',
    objectsTo: ({ person }, { requireNonRequester }, proposal) =>
      requireNonRequester && includesPerson(proposal.shapers.requesters, person),
  },
  {
    objection: 'is-writer',
    objectsTo: ({ person }, { requireNonAuthor, requireNonRequester }, proposal) =>
      (requireNonAuthor || requireNonRequester) && includesPerson(proposal.shapers.writers, person),
  },
];

function requesterOf({ origin }: ShapedProposal, { requester }: ApprovalRules): Person | null {
  return origin.kind === 'undo' ? origin.by : requester;
}

function includesPerson(people: readonly Person[], { id }: Person): boolean {
  return people.some((one) => one.id === id);
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

/** The comments and reviews to read again before these proposals are committed, each once. */
export function voteLocations(proposals: readonly Proposal[]): readonly VoteLocation[] {
  const locations = proposals.flatMap(approvalVotes).flatMap((vote) => voteLocationOf(vote) ?? []);
  return [...new Map(locations.map((location) => [voteSourceKey(location), location])).values()];
}

/** The comment or review of a vote; null if GitHub has none, or if it was not read. */
export function voteSourceOf(vote: Vote, sources: VoteSources): VoteSource | null {
  const location = voteLocationOf(vote);
  if (location === null) return null;
  const key = voteSourceKey(location);
  return Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
}

/** Why a vote's comment is not the one that was counted: same id, author, time, thread and text; null if it is. */
export function findSourceProblem(vote: Vote, sources: VoteSources): VoteProblem | null {
  const source = voteSourceOf(vote, sources);
  if (source === null) return 'missing';
  if (source.authorId !== vote.by.id || source.viaApp) return 'not-theirs';
  if (!hasBodyHash(source.body, vote.bodyHash)) return 'edited';
  return isSameTime(vote, source) && isSameThread(vote, source) ? null : 'not-theirs';
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
