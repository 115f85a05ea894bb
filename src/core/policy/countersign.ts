import type { RepoLinks } from '../../lib/format.ts';
import { type Countersigned, markCountersigned } from '../../lib/trust.ts';
import { isWholeFileChange } from '../edits/change.ts';
import { digestAtRegion } from '../edits/digest.ts';
import type { CommitPlan } from '../state/ports.ts';
import type { CommittedVersion, Permission, Vote } from '../state/proposal.ts';
import type { CommittedFile } from '../state/signals.ts';
import { type ApprovalRules, countedApprovals, findSourceProblem, isApproved } from './approval-rules.ts';
import { type CommitMessageEntry, type CommitStyle, renderCommitMessage } from './commit-message.ts';
import {
  type HeadFiles,
  type PlannedWrites,
  type ProposalToCommit,
  planDeletion,
  planLines,
  planMove,
  planRestore,
} from './commit-plan.ts';
import { findConflictingChange } from './earlier-changes.ts';

/**
 * The only place that permits a commit. It checks again, from stored data and the head's content, that every change has
 * enough valid approvals for its digest, and that the bytes to write are those of the digest. It throws on any
 * mismatch, which is then a bug or a tampered row and never a person's mistake.
 */
export function countersign(request: CountersignRequest): CountersignedCommit {
  for (const item of request.toCommit) checkProposalToCommit(item, request.rules);
  const plannedWrites = [...planLineWrites(request), ...planWholeFileWrites(request)];
  const changes = request.toCommit.map((item) => commitMessageEntry(item, request.rules, plannedWrites));
  const plan = markCountersigned<CommitPlan>({
    branch: request.branch,
    expectedHead: request.headSha,
    message: renderCommitMessage(changes, request.links, request.style),
    files: plannedWrites.flatMap(({ writes }) => writes),
    proposalIds: request.toCommit.map((item) => item.proposal.id),
  });
  const committedVersions = Object.fromEntries(
    changes.map(({ proposalId, digest, range }) => [proposalId, { digest, range }]),
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

function checkProposalToCommit(item: ProposalToCommit, rules: ApprovalRules): void {
  const { proposal } = item;
  const { change } = proposal;
  if (change.op === 'read') throw new Error(`Proposal ${proposal.id} only reads a file`);
  if (proposal.state !== 'executing') throw new Error(`Proposal ${proposal.id} is ${proposal.state}, not executing`);
  if (!isApproved(proposal, rules, permissionLookup(item)))
    throw new Error(`Proposal ${proposal.id} does not have enough approvals that count`);
  if (digestAtRegion(change, change.region) !== change.digest)
    throw new Error(`Proposal ${proposal.id} differs from what was shown`);
}

function planLineWrites({ toCommit, files }: CountersignRequest): PlannedWrites[] {
  const lineChanges = toCommit.filter(({ proposal }) => !isWholeFileChange(proposal.change));
  const byPath = Map.groupBy(lineChanges, ({ proposal }) => proposal.change.path);
  return [...byPath].map(([path, items]) => planLines(path, items, files));
}

/** Deletions, moves and restores. No other change of the commit can touch their paths. */
function planWholeFileWrites({ toCommit, files }: CountersignRequest): PlannedWrites[] {
  const wholeFileChanges = toCommit.filter(({ proposal }) => isWholeFileChange(proposal.change));
  return wholeFileChanges.map((item) => {
    const { id, change } = item.proposal;
    const others = toCommit.filter((other) => other !== item).map(({ proposal }) => proposal);
    if (findConflictingChange(change, others) !== null)
      throw new Error(`Proposal ${id} shares its path with another proposal`);
    if (change.op === 'move') return planMove(item, files);
    return change.op === 'delete' ? planDeletion(item, files) : planRestore(item, files);
  });
}

function commitMessageEntry(
  item: ProposalToCommit,
  rules: ApprovalRules,
  plannedWrites: readonly PlannedWrites[],
): CommitMessageEntry {
  const { proposal, region } = item;
  const { id, change, origin } = proposal;
  const range = plannedWrites.find(({ ranges }) => ranges.has(id))?.ranges.get(id) ?? null;
  const { path, from, payload } = change;
  const digest = digestAtRegion(change, region);
  const approvedBy = countedApprovals(proposal, rules, permissionLookup(item)).map((vote) => vote.by);
  const undoes = origin.kind === 'undo' ? origin.undoneProposalId : null;
  return { proposalId: id, digest, range, approvedBy, path, from, undoes, description: payload.description };
}

/** Looks up a voter's current permission; none for a vote whose comment is gone, edited or of another account. */
function permissionLookup({ permissions, voteSources }: ProposalToCommit): (vote: Vote) => Permission {
  return (vote) => (findSourceProblem(vote, voteSources) === null ? (permissions[vote.by.id] ?? 'none') : 'none');
}
