import {
  affectedPaths,
  type BlobRef,
  type FileChange,
  isRestore,
  isWholeFileChange,
  membersOf,
  type Region,
  sourcePath,
} from '../../core/edits/change.ts';
import { committedVersion, type MemberVersion } from '../../core/edits/change-set.ts';
import { composeFile, formatRange, regionRange } from '../../core/edits/region.ts';
import { blobSha, decodeText, encodeText } from '../../core/edits/text/characters.ts';
import { findChangeTrailers } from '../../core/policy/commit-message.ts';
import { changedTreePaths } from '../../core/policy/commit-plan.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import { type CommitSummary, type GitHub, GitHubError, type Tree, type TreeEntry } from '../../core/step/ports.ts';
import type { CommittedFile, Signal } from '../../core/step/signals.ts';

type CommittedSignal = Extract<Signal, { type: 'committed' }>;

/** A member of a proposal with the digest and line range in the trailers of a commit. */
type TrailerChange = { readonly proposal: Proposal; readonly change: FileChange } & MemberVersion;

/** The proposals to look for, and all loaded ones of the pull request. */
type CommitSearch = { readonly proposals: readonly Proposal[]; readonly known: readonly Proposal[] };

/** The trees of a commit and of its parent. */
type TreePair = { readonly before: Tree; readonly after: Tree };

/**
 * Finds a commit on the branch with trailers of these proposals: the result of an earlier attempt was lost, or another
 * effect committed them, maybe with others. The head of a closed pull request no longer moves, so its branch is
 * searched too: a commit in flight can arrive after the closing.
 */
export async function findExistingCommit(
  github: GitHub,
  search: CommitSearch,
  { pull, botId }: { readonly pull: PullFacts; readonly botId: number },
): Promise<CommittedSignal | null> {
  const atHead = await findCommitUpTo(github, search, pull.headSha, botId);
  if (atHead !== null || pull.state === 'open') return atHead;
  return findCommitUpTo(github, search, pull.headRef, botId).catch(nullIfNotFound);
}

/** The branch of a closed pull request might be deleted. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof GitHubError && error.status === 404) return null;
  throw error;
}

/** Searches the commits up to `tip`, which is a commit or a branch. */
async function findCommitUpTo(
  github: GitHub,
  search: CommitSearch,
  tip: string,
  botId: number,
): Promise<CommittedSignal | null> {
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
      byProposal.map(([{ id, change }, versions]) => [id, committedVersion(change, versions)]),
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
    const members = membersOf(proposal.change);
    if (trailers.length !== members.length) return [];
    for (const [index, change] of members.entries()) {
      const { digest = '', range = null } = trailers[index] ?? {};
      changes.push({ proposal, change, digest, range });
    }
  }
  return changes.some(({ proposal }) => proposals.some(({ id }) => id === proposal.id)) ? changes : [];
}

/** The files of the commit; null unless it contains exactly the approved changes. */
async function verifiedFiles(
  github: GitHub,
  commit: CommitSummary,
  changes: readonly TrailerChange[],
): Promise<readonly CommittedFile[] | null> {
  if (commit.parent === null) return null;
  const trees = {
    before: await github.fetchTree(commit.parent),
    after: await github.fetchTree(commit.sha),
  };
  const affected = new Set(changes.flatMap(({ change }) => affectedPaths(change)));
  if (changedTreePaths(trees.before, trees.after).some((path) => !affected.has(path))) return null;
  const files: CommittedFile[] = [];
  for (const change of changes) {
    if (!isWholeFileChange(change.change)) continue;
    const wholeFiles = verifiedWholeFiles(trees, change);
    if (wholeFiles === null) return null;
    files.push(...wholeFiles);
  }
  const edits = changes.filter(({ change }) => !isWholeFileChange(change));
  for (const [path, editsOfFile] of Map.groupBy(edits, ({ change }) => change.path)) {
    const file = await verifiedFile(github, trees, path, editsOfFile);
    if (file === null) return null;
    files.push(file);
  }
  return files;
}

/** The files of a deletion, move or restore; null unless it is exactly the approved one. */
function verifiedWholeFiles(
  { before, after }: TreePair,
  { change, range }: TrailerChange,
): readonly CommittedFile[] | null {
  const { path, base, result, region } = change;
  if (isRestore(change)) return range === null ? verifiedRestore(before, after, change) : null;
  const source = sourcePath(change);
  const isRemoved = matchesBlob(before.get(source), base) && !after.has(source);
  const ranges = range === null ? [] : [range];
  const hasApprovedRange =
    region === null ? range === null : range !== null && formatRange(range) === formatRange(regionRange(region));
  if (base === null || !isRemoved || !hasApprovedRange) return null;
  const removed = { path: source, before: base.blob, after: null, ranges };
  if (result === null) return [removed];
  const isMoved = !before.has(path) && matchesBlob(after.get(path), result);
  return isMoved ? [removed, { path, before: null, after: result.blob, ranges: [] }] : null;
}

function verifiedRestore(before: Tree, after: Tree, { path, result }: FileChange): readonly CommittedFile[] | null {
  if (before.has(path) || !matchesBlob(after.get(path), result)) return null;
  return [{ path, before: null, after: result?.blob ?? null, ranges: [] }];
}

function matchesBlob(entry: TreeEntry | undefined, ref: BlobRef | null): boolean {
  return entry !== undefined && entry.sha === ref?.blob && entry.mode === ref.mode;
}

async function verifiedFile(
  github: GitHub,
  { before, after }: TreePair,
  path: string,
  changes: readonly TrailerChange[],
): Promise<CommittedFile | null> {
  const [old, blob] = [before.get(path)?.sha ?? null, after.get(path)?.sha];
  const ranges = changes.flatMap(({ range }) => range ?? []);
  if (
    blob === undefined ||
    ranges.length < changes.length ||
    !hasExpectedMode(before.get(path), after.get(path), changes)
  )
    return null;
  const text = old === null ? '' : decodeOrNull(await github.fetchBlob(old));
  if (text === null || composedBlob(text, changes) !== blob) return null;
  return { path, before: old, after: blob, ranges };
}

/** A file must keep its mode; a new file has the mode of its change. */
function hasExpectedMode(
  before: TreeEntry | undefined,
  after: TreeEntry | undefined,
  changes: readonly TrailerChange[],
): boolean {
  const mode = before?.mode ?? changes[0]?.change.result?.mode;
  return after?.mode === mode;
}

function decodeOrNull(bytes: Uint8Array): string | null {
  const decoded = decodeText(bytes);
  return decoded.kind === 'text' ? decoded.text : null;
}

/** Applies the approved changes to the parent's text at the ranges of the trailers; null if they do not fit. */
function composedBlob(text: string, changes: readonly TrailerChange[]): string | null {
  const regions = changes.flatMap(regionFor);
  if (regions.length < changes.length) return null;
  try {
    return blobSha(encodeText(composeFile(text, regions).text));
  } catch {
    return null;
  }
}

function regionFor({ change: { region }, range }: TrailerChange): readonly Region[] {
  if (region === null || range === null) return [];
  return [{ ...region, oldStart: range.oldStart, newStart: range.newStart }];
}

type FoundCommit = Extract<Signal, { type: 'committed' | 'commit-mismatch' }>;

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
): Promise<FoundCommit | null> {
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
    const isDeleted = error instanceof GitHubError && error.status === 404 && attempts > MAX_LOOKUP_ATTEMPTS;
    if (!isDeleted || pull.headSha === sha) throw error;
    return { ...common, ...overwritten, parentSha: null };
  }
}
