import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FakeGitHub } from '../fakes/github/fake-github.ts';
import { exportBareRepository } from '../fakes/github/git/export.ts';
import { gitText, runGit } from '../src/cli/git/run-git.ts';
import type { VerifiedChange } from '../src/cli/verify/check-commit.ts';
import { verifyRange } from '../src/cli/verify/verify.ts';
import type { Region } from '../src/core/edits/change.ts';
import { changeDigest } from '../src/core/edits/digest.ts';
import { EMPTY_REGION, regionBetween } from '../src/core/edits/region.ts';
import { createLineTable } from '../src/core/edits/text/line-table.ts';
import { splitLines, withoutLineEnding } from '../src/core/edits/text/lines.ts';
import { findChangeTrailers } from '../src/core/policy/commit-message.ts';
import type { PullSource } from './local-repository.ts';
import type { DemoPull } from './pull-request.ts';
import type { DemoDecision } from './rounds.ts';

/** A row of the result; `problem` is null when the check passed. */
export type VerifiedRow = { readonly subject: string; readonly attribution: string; readonly problem: string | null };

/** An exported repository, the branch to check, and the decisions on its proposals. */
type VerificationInput = {
  readonly directory: string;
  readonly branch: string;
  /** The head before the run. */
  readonly baseSha: string;
  readonly bot: string;
  readonly decisions: readonly DemoDecision[];
};

/**
 * Checks with git alone that the branch has exactly the approved changes: linear commits, no change outside
 * the approved ranges, digests recomputed from the commits, and no rejected change.
 */
async function verifyBranch(input: VerificationInput): Promise<readonly VerifiedRow[]> {
  const commits = await readBranch(input);
  const parentRows = commits.map((commit, index) => checkParent(commit, commits[index - 1]?.sha ?? input.baseSha));
  const commitRows = commits.flatMap((commit) => checkCommit(commit, input));
  const committedIds = commits.flatMap((commit) => listProposalIds(commit, input));
  const decisionRows = await Promise.all(
    input.decisions.map((decision) => checkDecision(decision, input, committedIds)),
  );
  return [...parentRows.flat(), ...commitRows, ...decisionRows.flat()];
}

function checkParent(commit: BranchCommit, parent: string): readonly VerifiedRow[] {
  const isChild = commit.parents.length === 1 && commit.parents[0] === parent;
  return isChild ? [] : [createFailure(commit, 'its parent is not the commit before it')];
}

function createFailure({ sha, author }: BranchCommit, problem: string): VerifiedRow {
  return { subject: sha.slice(0, 7), attribution: author, problem };
}

/** Lists the proposals in a commit: those in its trailers, or the suggestion that it applies. */
function listProposalIds(commit: BranchCommit, { bot, decisions }: VerificationInput): readonly string[] {
  if (commit.author === bot) return findChangeTrailers(commit.message).map(({ proposalId }) => proposalId);
  const suggestionDecision = decisions.find(
    (one) => one.outcome === 'suggestion-committed' && isSuggestionCommit(commit, one),
  );
  return suggestionDecision === undefined ? [] : [suggestionDecision.proposal.id];
}

function isSuggestionCommit(commit: BranchCommit, { by, proposal }: DemoDecision): boolean {
  const [file] = commit.files;
  if (commit.author !== by || commit.files.length !== 1 || file?.path !== proposal.path) return false;
  const { before, after } = fileVersions(file);
  return computeDigest(file, 'edit', regionBetween(before.text, after.text) ?? EMPTY_REGION).startsWith(
    proposal.digest,
  );
}

function checkCommit(commit: BranchCommit, input: VerificationInput): readonly VerifiedRow[] {
  if (commit.author === input.bot) return checkAppCommit(commit, input);
  const suggestionDecision = input.decisions.find(
    (one) => one.outcome === 'suggestion-committed' && isSuggestionCommit(commit, one),
  );
  if (suggestionDecision === undefined) return [createFailure(commit, 'it matches no committed suggestion')];
  return [
    {
      subject: `${commit.sha.slice(0, 7)} ${suggestionDecision.proposal.id} ${suggestionDecision.proposal.path}`,
      attribution: `committed as a suggestion by ${suggestionDecision.by}`,
      problem: null,
    },
  ];
}

function checkAppCommit(commit: BranchCommit, { decisions }: VerificationInput): readonly VerifiedRow[] {
  return commit.verified.map(({ proposal: id, path, digest, approvedBy, problem }) => {
    const decision = decisions.find((one) => one.outcome === 'approved' && one.proposal.id === id);
    if (id === null)
      return createFailure(commit, path === null ? `${problem}` : `it changes ${path} without an approval`);
    if (decision === undefined) return createFailure(commit, `it contains ${id} without an approval`);
    const subject = `${commit.sha.slice(0, 7)} ${id} ${decision.proposal.path}`;
    const isShown = path === decision.proposal.path && digest?.startsWith(decision.proposal.digest) === true;
    const isNamed = approvedBy.includes(decision.by);
    const difference = isShown && isNamed ? null : 'it is not the approved change, or does not name who approved it';
    return { subject, attribution: `approved by ${decision.by}`, problem: problem ?? difference };
  });
}

/** The digest of the change between the two versions of a file. */
function computeDigest({ path, before, after }: BranchFileChange, op: 'edit' | 'write', region: Region): string {
  const oldMode = before?.mode ?? null;
  const newMode = after?.mode ?? null;
  return changeDigest({ op, path, fromPath: null, oldMode, newMode, body: { kind: 'region', region } });
}

function fileVersions({ before, after }: BranchFileChange) {
  return { before: createLineTable(before?.text ?? ''), after: createLineTable(after?.text ?? '') };
}

/** Checks that an approved change is in exactly one commit, and a rejected change in none. */
async function checkDecision(
  decision: DemoDecision,
  input: VerificationInput,
  committedIds: readonly string[],
): Promise<readonly VerifiedRow[]> {
  const { proposal, outcome, by } = decision;
  const times = committedIds.filter((id) => id === proposal.id).length;
  const subject = `${proposal.id} ${proposal.path}`;
  if (outcome === 'approved' || outcome === 'suggestion-committed') {
    const problem = times === 1 ? null : `it is in ${times} commits of the branch`;
    return problem === null ? [] : [{ subject, attribution: `approved by ${by}`, problem }];
  }
  const present = times > 0 || (await isOnBranch(decision, input));
  const attribution = `${outcome === 'denied' ? 'denied' : 'changes requested'} by ${by}, not on the branch`;
  return [
    {
      subject: `${'–'.padEnd(7)} ${subject}`,
      attribution,
      problem: present ? 'the rejected change is on the branch' : null,
    },
  ];
}

/** Whether the file has every line that only this proposal would add. */
async function isOnBranch(
  { proposal }: DemoDecision,
  { directory, branch, baseSha, decisions }: VerificationInput,
): Promise<boolean> {
  const { path, added, removed } = proposal;
  const [before, now] = await Promise.all([
    readLinesAt(directory, baseSha, path),
    readLinesAt(directory, `refs/heads/${branch}`, path),
  ]);
  const others = decisions.filter(({ outcome }) => outcome === 'approved' || outcome === 'suggestion-committed');
  const approved = others.filter((one) => one.proposal.path === path).flatMap((one) => one.proposal.added);
  const known = new Set([...before, ...approved, ...removed]);
  const own = added.filter((line) => !known.has(line));
  return own.length > 0 && own.every((line) => now.has(line));
}

async function readLinesAt(directory: string, revision: string, path: string): Promise<ReadonlySet<string>> {
  return new Set(splitLines((await readFileAt(directory, revision, path)) ?? '').map(withoutLineEnding));
}

/**
 * Exports the repository and checks the branch with git. Throws `GitNotInstalledError`, or `GitError` when git rejects
 * the repository.
 */
export async function exportAndVerify(
  github: FakeGitHub,
  demoPull: DemoPull,
  source: PullSource,
  decisions: readonly DemoDecision[],
): Promise<readonly VerifiedRow[]> {
  return withExportedRepository(github, demoPull.repositoryId, async (directory) => {
    await gitText([`--git-dir=${directory}`, 'fsck', '--no-dangling', '--no-progress']);
    const { branch, initialHead: baseSha } = demoPull;
    const checks = await verifyBranch({ directory, branch, baseSha, bot: `${github.app.slug}[bot]`, decisions });
    return [...checkLoadedTree(demoPull, source), ...checks];
  });
}

/** What `countersign verify` says of a range of commits. Throws like `exportAndVerify`. */
export function verifyPullCommits(
  github: FakeGitHub,
  repositoryId: number,
  range: string,
): Promise<readonly VerifiedChange[]> {
  return withExportedRepository(github, repositoryId, (gitDir) =>
    verifyRange({ gitDir, range, slug: github.app.slug, host: 'github.com' }),
  );
}

async function withExportedRepository<Result>(
  github: FakeGitHub,
  repositoryId: number,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const { store, repositories } = github.state();
  const refs = repositories.get(repositoryId)?.refs ?? new Map<string, string>();
  const directory = await mkdtemp(join(tmpdir(), 'countersign-demo-git-'));
  try {
    exportBareRepository(store, { refs, defaultBranch: 'main' }, directory);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function checkLoadedTree({ initialTree }: DemoPull, { headTree }: PullSource): readonly VerifiedRow[] {
  if (headTree === null) return [];
  const problem = initialTree === headTree ? null : 'the loaded tree differs from the repository';
  return [{ subject: `tree ${headTree.slice(0, 7)}`, attribution: 'the loaded tree is unchanged', problem }];
}

/** A version of a changed file; null when it does not exist. */
type BranchFileVersion = { readonly mode: '100644' | '100755'; readonly sha: string; readonly text: string } | null;

type BranchFileChange = {
  readonly path: string;
  readonly before: BranchFileVersion;
  readonly after: BranchFileVersion;
};

/** A commit of the branch, read with git. */
type BranchCommit = {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
  readonly files: readonly BranchFileChange[];
  /** The result of `countersign verify`. */
  readonly verified: readonly VerifiedChange[];
};

/** Reads the commits of the branch since the run began, oldest first. */
async function readBranch({
  directory,
  branch,
  baseSha: since,
  bot,
}: VerificationInput): Promise<readonly BranchCommit[]> {
  const gitDir = `--git-dir=${directory}`;
  const listed = await gitText([gitDir, 'rev-list', '--reverse', `refs/heads/${branch}`, `^${since}`]);
  const range = `${since}..refs/heads/${branch}`;
  const verified = await verifyRange({ gitDir: directory, range, slug: bot.replace('[bot]', ''), host: 'github.com' });
  return Promise.all(
    listed
      .split('\n')
      .filter((line) => line !== '')
      .map(async (sha) => ({
        ...(await readBranchCommit(gitDir, sha)),
        verified: verified.filter(({ commit }) => commit === sha),
      })),
  );
}

async function readBranchCommit(gitDir: string, sha: string): Promise<Omit<BranchCommit, 'verified'>> {
  const shown = await gitText([gitDir, 'show', '-s', '--format=%P%x00%an%x00%B', sha]);
  const [parents = '', author = '', message = ''] = shown.split('\0');
  const differences = await gitText([gitDir, 'diff-tree', '-r', '-z', '--no-renames', '--raw', `${sha}^1`, sha]);
  const files: BranchFileChange[] = [];
  const fields = differences.split('\0').filter((field) => field !== '');
  for (let index = 0; index < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldSha = '', newSha = ''] = (fields[index] ?? '').slice(1).split(' ');
    const before = await readFileVersion(gitDir, oldMode, oldSha);
    const after = await readFileVersion(gitDir, newMode, newSha);
    files.push({ path: fields[index + 1] ?? '', before, after });
  }
  return { sha, parents: parents.split(' '), author, message, files };
}

/** Throws for a symbolic link, a submodule or binary content: the demo never proposes such a change. */
async function readFileVersion(gitDir: string, mode: string, sha: string): Promise<BranchFileVersion> {
  if (mode === '000000') return null;
  if (mode !== '100644' && mode !== '100755')
    throw new Error(`The branch changes a file of mode ${mode}, which the demo never proposes.`);
  return { mode, sha, text: decodeUtf8(await runGit([gitDir, 'cat-file', 'blob', sha])) };
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Returns null when the file does not exist. */
async function readFileAt(directory: string, revision: string, path: string): Promise<string | null> {
  return runGit([`--git-dir=${directory}`, 'cat-file', 'blob', `${revision}:${path}`]).then(decodeUtf8, () => null);
}
