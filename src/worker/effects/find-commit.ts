import { type FileChange, isWholeFileChange } from '../../core/edits/change.ts';
import { committedVersion, type MemberVersion } from '../../core/edits/change-set.ts';
import { formatRange } from '../../core/edits/region.ts';
import { findChangeTrailers } from '../../core/policy/commit-message.ts';
import {
  type HeadFiles,
  type MemberToCommit,
  type PlannedWrites,
  planWrites,
  treeMismatches,
} from '../../core/policy/commit-plan.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import { type CommitSummary, type GitHub, GitHubError, means, nullIf } from '../../core/step/ports.ts';
import type { CommittedFile, SignalOf } from '../../core/step/signals.ts';
import { fetchHeadFiles } from './commit-checks.ts';

/** A member of a proposal with the digest and line range in the trailers of a commit. */
type TrailerChange = { readonly proposal: Proposal; readonly change: FileChange } & MemberVersion;

/** The proposals to look for, and all loaded ones of the pull request. */
type CommitSearch = { readonly proposals: readonly Proposal[]; readonly known: readonly Proposal[] };

/**
 * Finds a commit on the branch with trailers of these proposals: the result of an earlier attempt was lost, or another
 * effect committed them, maybe with others. The head of a closed pull request no longer moves, so its branch is
 * searched too: a commit in flight can arrive after the closing.
 */
export async function findExistingCommit(
  github: GitHub,
  search: CommitSearch,
  { pull, botId }: { readonly pull: PullFacts; readonly botId: number },
): Promise<SignalOf<'committed'> | null> {
  const atHead = await findCommitUpTo(github, search, pull.headSha, botId);
  if (atHead !== null || pull.state === 'open') return atHead;
  // The branch of a closed pull request might be deleted.
  return findCommitUpTo(github, search, pull.headRef, botId).catch(nullIf('gone'));
}

/** Searches the commits up to `tip`, which is a commit or a branch. */
async function findCommitUpTo(
  github: GitHub,
  search: CommitSearch,
  tip: string,
  botId: number,
): Promise<SignalOf<'committed'> | null> {
  const [first] = search.proposals;
  if (first === undefined) return null;
  for (const commit of await github.listCommits(first.headSha, tip)) {
    const changes = commit.authorId === botId ? changesInTrailers(commit, search) : [];
    // Author and trailers can be forged, so only the changed files prove that the commit is ours.
    const files = changes.length === 0 ? null : await verifiedFiles(github, commit, changes);
    if (files === null) continue;
    const byProposal = [...Map.groupBy(changes, ({ proposal }) => proposal)];
    const proposalIds = byProposal.map(([{ id }]) => id);
    const committedVersions = Object.fromEntries(
      byProposal.map(([{ id }, versions]) => [id, committedVersion(versions)]),
    );
    return {
      type: 'committed',
      runId: first.runId,
      sha: commit.sha,
      parentSha: commit.parent,
      proposalIds,
      committedVersions,
      files,
    };
  }
  return null;
}

/**
 * The members of known proposals in the trailers of a commit; empty if none of these proposals is searched for, or if
 * one of them has another number of trailers than members.
 */
function changesInTrailers({ message }: CommitSummary, { proposals, known }: CommitSearch): readonly TrailerChange[] {
  const byId = Map.groupBy(findChangeTrailers(message), ({ proposalId }) => proposalId);
  const changes: TrailerChange[] = [];
  for (const [id, trailers] of byId) {
    const proposal = known.find((one) => one.id === id);
    if (proposal === undefined) continue;
    const { members } = proposal.change;
    if (trailers.length !== members.length) return [];
    for (const [index, change] of members.entries()) {
      const { digest = '', range = null } = trailers[index] ?? {};
      changes.push({ proposal, change, digest, range });
    }
  }
  return changes.some(({ proposal }) => proposals.some(({ id }) => id === proposal.id)) ? changes : [];
}

/** The files of the commit; null unless it is exactly the approved changes on its parent, at the lines of its trailers. */
async function verifiedFiles(
  github: GitHub,
  commit: CommitSummary,
  changes: readonly TrailerChange[],
): Promise<readonly CommittedFile[] | null> {
  if (commit.parent === null) return null;
  const trees = { before: await github.fetchTree(commit.parent), after: await github.fetchTree(commit.sha) };
  const members = changes.map(toMember);
  const files = await fetchHeadFiles(
    github,
    trees.before,
    changes.map(({ change }) => change),
  );
  const planned = planOrNull(members, files);
  if (planned === null) return null;
  const isAtRanges = changes.every(({ change, range }) => {
    const written = planned.find(({ ranges }) => ranges.has(change))?.ranges.get(change) ?? null;
    return (written && formatRange(written)) === (range && formatRange(range));
  });
  const mismatches = treeMismatches(
    planned.flatMap(({ writes }) => writes),
    trees,
  );
  return isAtRanges && mismatches.length === 0 ? planned.flatMap((one) => one.files) : null;
}

/** Lines stand where the trailer says; a whole file stands where it was shown. */
function toMember({ proposal, change, range }: TrailerChange): MemberToCommit {
  const { region } = change;
  const isMoved = region !== null && range !== null && !isWholeFileChange(change);
  const placed = isMoved ? { ...region, oldStart: range.oldStart, newStart: range.newStart } : region;
  return { proposalId: proposal.id, change, region: placed };
}

/** Null where the approved changes do not fit on the parent: then the commit is not ours. */
function planOrNull(members: readonly MemberToCommit[], files: HeadFiles): readonly PlannedWrites[] | null {
  try {
    return planWrites(members, files);
  } catch {
    return null;
  }
}

/** After this many attempts, a 404 means that GitHub has deleted the commit: the ledger records it as requested. */
const MAX_LOOKUP_ATTEMPTS = 12;

/**
 * Finds the commit whose SHA GitHub returned for some of these proposals, even if a force push has removed it: they
 * must not be committed again. Returns null if there is none; rejects if GitHub does not list the commit yet.
 */
export async function findReportedCommit(
  github: GitHub,
  effectProposals: readonly Proposal[],
  { pull, botId, attempts }: { readonly pull: PullFacts; readonly botId: number; readonly attempts: number },
): Promise<SignalOf<'committed' | 'commit-mismatch'> | null> {
  const sha = effectProposals.find(({ commitSha }) => commitSha !== null)?.commitSha ?? null;
  const reported = effectProposals.filter(({ commitSha }) => commitSha === sha);
  const [first] = reported;
  if (sha === null || first === undefined) return null;
  const common = { runId: first.runId, sha, proposalIds: reported.map(({ id }) => id), committedVersions: {} };
  const overwritten = { type: 'committed', files: [], overwritten: true } as const;
  try {
    const found = await findCommitUpTo(github, { proposals: reported, known: reported }, sha, botId);
    if (found !== null) return { ...found, ...overwritten };
    const commits = await github.listCommits(first.headSha, sha);
    const commit = commits.find((listed) => listed.sha === sha);
    if (commit === undefined) throw new GitHubError('GitHub does not list the commit', 404, null);
    return { ...common, parentSha: commit.parent, type: 'commit-mismatch', mismatches: [] };
  } catch (error) {
    const isDeleted = means(error, 'gone') && attempts > MAX_LOOKUP_ATTEMPTS;
    if (!isDeleted || pull.headSha === sha) throw error;
    return { ...common, ...overwritten, parentSha: null };
  }
}
