import { findMergeBase, listCommitsBetween } from '../../../fakes/github/git/ancestry.ts';
import { readGitCommit, type Sha } from '../../../fakes/github/git/objects.ts';
import { computeFileDiff, diffCommits, type TreeFileDiff } from '../../../fakes/github/state/commits.ts';
import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import {
  type GitHub,
  GitHubError,
  type PullRequestFile,
  type PushComparison,
  type Tree,
} from '../../../src/core/step/ports.ts';
import { type PullSnapshot, readFullTree } from './simulated-github.ts';

/** The methods of the port that read the context of a run, on the simulated state. */
export function contextReadMethods(snapshot: () => PullSnapshot): Pick<GitHub, 'fetchBranchTree' | 'comparePush'> {
  return {
    fetchBranchTree: async (branch) => readBranchTree(snapshot(), branch),
    comparePush: async (before, after) => comparePush(snapshot(), before, after),
  };
}

function readBranchTree({ state, repository }: PullSnapshot, branch: string): Tree {
  const head = findBranchHead(repository, branch);
  if (head === undefined) throw new GitHubError('no such branch', 404, null);
  return readFullTree(state.store, head);
}

function comparePush({ state: { store } }: PullSnapshot, before: Sha, after: Sha): PushComparison | null {
  if (readGitCommit(store, before) === undefined || readGitCommit(store, after) === undefined) return null;
  const base = findMergeBase(store, before, after);
  if (base === undefined) return null;
  const files = diffCommits(store, base, after).map((change) => toPullRequestFile(computeFileDiff(store, change)));
  return { files, rewritten: listCommitsBetween(store, after, before).length > 0 };
}

/** A changed file as GitHub lists it. */
export function toPullRequestFile({ change, patch }: TreeFileDiff): PullRequestFile {
  return {
    path: change.path,
    previousPath: change.status === 'renamed' ? change.previousPath : null,
    status: change.status,
    added: patch.additions,
    removed: patch.deletions,
    patch: patch.text,
  };
}
