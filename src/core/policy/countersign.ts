import { hash } from 'node:crypto';
import type { RepoLinks } from '../../lib/format.ts';
import { type Countersigned, markCountersigned } from '../../lib/trust.ts';
import { isReading, isSet } from '../edits/change.ts';
import { type CommittedVersion, committedVersion } from '../edits/change-set.ts';
import { describeFileChange } from '../edits/describe-change.ts';
import { digestAtRegion, membersDigest, recomputedDigest } from '../edits/digest.ts';
import { MAX_SERVER_SKEW_MS } from '../state/posted-comment.ts';
import type { Proposal } from '../state/proposal.ts';
import {
  approvalVotes,
  type Permission,
  usesStandingApproval,
  type Vote,
  type VoteLocation,
  type VoteProblem,
  type VoteSource,
  type VoteSources,
  voteLocationOf,
  voteSourceKey,
} from '../state/vote.ts';
import type { CommitPlan } from '../step/ports.ts';
import type { CommittedFile } from '../step/signals.ts';
import { type CommitStyle, renderCommitMessage } from './commit-message.ts';
import {
  type HeadFiles,
  membersToCommit,
  type PlannedWrites,
  type ProposalToCommit,
  planWrites,
} from './commit-plan.ts';
import type { CommitMessageEntry } from './commit-subject.ts';
import { type ApprovalRules, countedApprovals, isApproved } from './may-approve.ts';
import { findStandingProblem, type StandingContext } from './standing-approvals.ts';

/**
 * The only place that permits a commit. It checks again, from stored data and the head's content, that every change has
 * enough valid approvals for its digest, and that the bytes to write are those of the digest. It throws on any
 * mismatch, which is then a bug or a tampered row and never a person's mistake.
 */
export function countersign(request: CountersignRequest): CountersignedCommit {
  for (const item of request.toCommit) checkProposalToCommit(item, request);
  const members = request.toCommit.flatMap(membersToCommit);
  const plannedWrites = planWrites(members, request.files);
  const changes = request.toCommit.flatMap((item) => commitMessageEntries(item, request, plannedWrites));
  const plan = markCountersigned<CommitPlan>({
    branch: request.branch,
    expectedHead: request.headSha,
    message: renderCommitMessage(changes, request.links, request.style),
    files: plannedWrites.flatMap(({ writes }) => writes),
    proposalIds: request.toCommit.map((item) => item.proposal.id),
  });
  const committedVersions = Object.fromEntries(
    request.toCommit.map(({ proposal: { id } }) => {
      const entries = changes.filter(({ proposalId }) => proposalId === id);
      return [id, committedVersion(entries)];
    }),
  );
  return { plan, committedVersions, files: plannedWrites.flatMap(({ files }) => files) };
}

type CountersignRequest = {
  readonly branch: string;
  readonly headSha: string;
  readonly toCommit: readonly ProposalToCommit[];
  readonly files: HeadFiles;
  /** The repository's current rules for approvers. */
  readonly rules: ApprovalRules;
  /** The standing approvals that votes can use. */
  readonly standing: StandingContext;
  /** Addresses of co-authors contain the host name. */
  readonly links: RepoLinks;
  readonly style: CommitStyle;
};

/** The plan that the commit call accepts, and its effect on each path. */
export type CountersignedCommit = {
  readonly plan: Countersigned<CommitPlan>;
  /** By proposal id: the digest in the trailer, and the lines in the commit. */
  readonly committedVersions: Readonly<Record<string, CommittedVersion>>;
  readonly files: readonly CommittedFile[];
};

/** The rules that decide which votes count. */
type VoteRules = Pick<CountersignRequest, 'rules' | 'standing'>;

function checkProposalToCommit(item: ProposalToCommit, { rules, standing }: VoteRules): void {
  const { proposal } = item;
  const { change } = proposal;
  if (isReading(change)) throw new Error(`Proposal ${proposal.id} only reads a file`);
  if (proposal.state !== 'executing') throw new Error(`Proposal ${proposal.id} is ${proposal.state}, not executing`);
  if (!isApproved(proposal, rules, permissionLookup(item, standing)))
    throw new Error(`Proposal ${proposal.id} does not have enough approvals that count`);
  if (recomputedDigest(change) !== change.digest)
    throw new Error(`Proposal ${proposal.id} differs from what was shown`);
}

/** One entry for each member, all with the id and the approvers of their proposal. */
function commitMessageEntries(
  item: ProposalToCommit,
  { rules, standing }: VoteRules,
  plannedWrites: readonly PlannedWrites[],
): readonly CommitMessageEntry[] {
  const { id, origin } = item.proposal;
  const counted = countedApprovals(item.proposal, rules, permissionLookup(item, standing));
  const approvedBy = counted.map((vote) => vote.by);
  const words = counted.some(usesStandingApproval) ? null : shownWordsOf(item.proposal);
  const undoes = origin.kind === 'undo' ? origin.undoneProposalId : null;
  const members = membersToCommit(item).map(({ change, region }) => {
    const range = plannedWrites.find(({ ranges }) => ranges.has(change))?.ranges.get(change) ?? null;
    return { change, range, digest: digestAtRegion(change, region) };
  });
  const set = isSet(item.proposal.change) ? membersDigest(members) : null;
  return members.map(({ change, range, digest }) => {
    const { path, from } = change;
    // No digest covers the stored description.
    const description = describeFileChange(change, undoes);
    return { proposalId: id, digest, range, setDigest: set, approvedBy, path, from, undoes, description, words };
  });
}

/** The model's words about a change on its page. They are not about a person's own lines, nor about an undo. */
function shownWordsOf({ change, modelReason, origin, userEdit }: Proposal): string | null {
  if (origin.kind === 'undo' || userEdit !== null) return null;
  return change.summary ?? modelReason;
}

/**
 * Looks up a voter's current permission; none for a vote whose comment is gone, edited or of another account, or whose
 * standing approval does not cover the change.
 */
function permissionLookup(item: ProposalToCommit, standing: StandingContext): (vote: Vote) => Permission {
  return (vote) => (findVoteProblem(vote, item, standing) === null ? (item.permissions[vote.by.id] ?? 'none') : 'none');
}

/** The comments and reviews to read again before these proposals are committed, each once. A standing approval is a row. */
export function voteLocations(proposals: readonly Proposal[]): readonly VoteLocation[] {
  const votes = proposals.flatMap(approvalVotes).filter((vote) => !usesStandingApproval(vote));
  const locations = votes.flatMap((vote) => voteLocationOf(vote) ?? []);
  return [...new Map(locations.map((location) => [voteSourceKey(location), location])).values()];
}

/**
 * Why an approval no longer counts, by its comment or its standing approval as they are now; null if it does.
 * `standing` is null where the settings are broken, so that nothing is known.
 */
export function findVoteProblem(
  vote: Vote,
  { proposal, voteSources }: { readonly proposal: Proposal; readonly voteSources: VoteSources },
  standing: StandingContext | null,
): VoteProblem | null {
  // A button has no comment that could be gone or edited: only the person is judged again.
  if (vote.surface === 'check') return null;
  if (!usesStandingApproval(vote)) return findSourceProblem(vote, voteSources);
  return standing === null ? null : findStandingProblem(vote, proposal, standing);
}

/** Why a vote's comment or review is not the one that was counted; null if it is. */
export function findSourceProblem(vote: Vote, sources: VoteSources): VoteProblem | null {
  const location = voteLocationOf(vote);
  const key = location === null ? '' : voteSourceKey(location);
  const source = Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
  if (source === null) return 'missing';
  if (source.reviewState === 'dismissed') return 'dismissed';
  if (!hasBodyHash(source.body, vote.bodyHash)) return 'edited';
  return isTheirs(vote, source) ? null : 'not-theirs';
}

/**
 * GitHub knows permissions by the login, so a renamed account does not count. A forged delivery can name a real comment
 * with a much later time or in another thread, as if it were about another change.
 */
function isTheirs({ by, writtenAt, thread: counted }: Vote, source: VoteSource): boolean {
  const { authorId, authorLogin, viaApp, createdAt, thread: shown } = source;
  if (authorId !== by.id || viaApp) return false;
  if (authorLogin !== null && authorLogin.toLowerCase() !== by.login.toLowerCase()) return false;
  if (writtenAt === null || createdAt === null) return false;
  if (Math.abs(Date.parse(createdAt) - Date.parse(writtenAt)) > MAX_SERVER_SKEW_MS) return false;
  return counted?.rootId === shown?.rootId && counted?.reviewId === shown?.reviewId;
}

/** The hash is that of the webhook's text. The line ends of webhooks and API responses can differ. */
function hasBodyHash(body: string, bodyHash: string | null): boolean {
  const lines = body.replaceAll('\r\n', '\n');
  return [body, lines, lines.replaceAll('\n', '\r\n')].some((form) => hash('sha256', form, 'hex') === bodyHash);
}
