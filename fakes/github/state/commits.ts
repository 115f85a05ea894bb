import { findMergeBase, listCommitsBetween } from '../git/ancestry.ts';
import { computeFilePatch, diffGitTrees, type FilePatch, type TreeFileChange } from '../git/diff.ts';
import {
  type CommitObject,
  computeObjectId,
  encodeUnsignedCommit,
  type GitObjectStore,
  type GitSignature,
  putGitCommit,
  readGitCommit,
  type Sha,
} from '../git/objects.ts';
import type { FakeAccount, FakePullRequest, GitHubHost, GitHubState } from './github-state.ts';
import { toUnixSeconds } from './update.ts';

/** A changed file with its patch. */
export type TreeFileDiff = { readonly change: TreeFileChange; readonly patch: FilePatch };

type PullBranches = Pick<FakePullRequest, 'base' | 'head'>;

/** Returns the merge base; the base itself if there is no common ancestor. */
export function findForkPoint(store: GitObjectStore, pull: PullBranches): Sha {
  return findMergeBase(store, pull.base.sha, pull.head.sha) ?? pull.base.sha;
}

/** Lists the commits of a pull request, oldest first. */
export function listPullCommits(store: GitObjectStore, pull: PullBranches): readonly Sha[] {
  return listCommitsBetween(store, pull.base.sha, pull.head.sha);
}

/** Lists the changed files between two commits, without patches. */
export function diffCommits(store: GitObjectStore, before: Sha, after: Sha): readonly TreeFileChange[] {
  return diffGitTrees(store, readGitCommit(store, before)?.tree ?? '', readGitCommit(store, after)?.tree ?? '');
}

/** Lists the changed files of a pull request (three-dot diff) by path. */
export function listPullFileDiffs(store: GitObjectStore, pull: PullBranches): readonly TreeFileDiff[] {
  return diffCommits(store, findForkPoint(store, pull), pull.head.sha).map((change) => computeFileDiff(store, change));
}

/** Finds one changed file of a pull request, and computes only its patch. */
export function findPullFileDiff(store: GitObjectStore, pull: PullBranches, path: string): TreeFileDiff | undefined {
  const changes = diffCommits(store, findForkPoint(store, pull), pull.head.sha);
  const change = changes.find((candidate) => candidate.path === path);
  return change === undefined ? undefined : computeFileDiff(store, change);
}

/** Adds the patch to a changed file. */
export function computeFileDiff(store: GitObjectStore, change: TreeFileChange): TreeFileDiff {
  const before = change.status === 'added' ? undefined : change.before.sha;
  const after = change.status === 'removed' ? undefined : change.after.sha;
  return { change, patch: computeFilePatch(store, before, after) };
}

type HostedState = Pick<GitHubState, 'host'>;

/** The domain of noreply addresses: github.com, or the host of an Enterprise Server. */
function noreplyDomain({ enterpriseServer, webUrl }: GitHubHost): string {
  return enterpriseServer === undefined ? 'github.com' : new URL(webUrl).hostname;
}

/** The noreply address of an account. */
export function noreplyAddress({ host }: HostedState, account: FakeAccount): string {
  return `${account.id}+${account.login}@users.noreply.${noreplyDomain(host)}`;
}

/** Creates the signature of an account, with its noreply address. */
export function createGitSignature(github: HostedState, account: FakeAccount, now: number): GitSignature {
  return { name: account.login, email: noreplyAddress(github, account), seconds: toUnixSeconds(now) };
}

/** The committer of commits that GitHub creates. */
export function webFlowIdentity({ host }: HostedState): Pick<GitSignature, 'name' | 'email'> {
  const name = host.enterpriseServer === undefined ? 'GitHub' : 'GitHub Enterprise';
  return { name, email: `noreply@${noreplyDomain(host)}` };
}

/**
 * Stores a commit that GitHub creates. github.com signs it, an Enterprise Server does not. The signature is fake: a hash
 * of the signed bytes, without a key.
 */
export function putWebFlowCommit(
  github: Pick<GitHubState, 'host' | 'store'>,
  content: Pick<CommitObject, 'tree' | 'parents' | 'message' | 'author'>,
  now: number,
): Sha {
  const committer = { ...webFlowIdentity(github), seconds: toUnixSeconds(now) };
  const unsigned: CommitObject = { ...content, committer, signature: null };
  if (github.host.enterpriseServer !== undefined) return putGitCommit(github.store, unsigned);
  const digest = computeObjectId('commit', new TextEncoder().encode(encodeUnsignedCommit(unsigned)));
  const signature = `-----BEGIN PGP SIGNATURE-----\n\n${digest}\n-----END PGP SIGNATURE-----\n`;
  return putGitCommit(github.store, { ...unsigned, signature });
}
