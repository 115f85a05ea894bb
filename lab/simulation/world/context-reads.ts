import { findMergeBase, listCommitsBetween } from '../../../fakes/github/git/ancestry.ts';
import { readGitCommit, type Sha } from '../../../fakes/github/git/objects.ts';
import { computeFileDiff, diffCommits, type TreeFileDiff } from '../../../fakes/github/state/commits.ts';
import type { FakeIssueComment, FakeReviewComment, GitHubState } from '../../../fakes/github/state/github-state.ts';
import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import {
  type GitHub,
  GitHubError,
  type PullComment,
  type PullRequestFile,
  type PushComparison,
  type Tree,
} from '../../../src/core/step/ports.ts';
import { type PullSnapshot, readFullTree } from './simulated-github.ts';

type ContextMethod =
  | 'fetchBranchTree'
  | 'comparePush'
  | 'listInlineComments'
  | 'listThreadComments'
  | 'listNewestComments';

/** The methods of the port that read the context of a run, on the simulated state. */
export function contextReadMethods(snapshot: () => PullSnapshot): Pick<GitHub, ContextMethod> {
  const inThreads = (wanted: (comment: FakeReviewComment) => boolean): readonly PullComment[] => {
    const { state, pull } = snapshot();
    return [...pull.reviewComments.values()].filter(wanted).map((comment) => toPullComment(state, comment));
  };
  return {
    fetchBranchTree: async (branch) => readBranchTree(snapshot(), branch),
    comparePush: async (before, after) => comparePush(snapshot(), before, after),
    listInlineComments: async (reviewId) => inThreads((comment) => comment.reviewId === reviewId),
    listThreadComments: async (rootId) => inThreads(({ id, inReplyToId }) => (inReplyToId ?? id) === rootId),
    listNewestComments: async () => {
      const { state, pull } = snapshot();
      return [...pull.comments.values()].map((comment) => toPullComment(state, comment));
    },
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

function toPullComment(state: GitHubState, comment: FakeIssueComment | FakeReviewComment): PullComment {
  const { id, authorId, body, createdAt, updatedAt } = comment;
  const account = authorId === null ? undefined : state.accounts.get(authorId);
  const isOfApp = 'viaAppId' in comment && comment.viaAppId !== null;
  return {
    id,
    author: account === undefined ? null : { id: account.id, login: account.login },
    isAutomated: account?.type !== 'User' || isOfApp,
    association: 'NONE',
    body,
    createdAt,
    updatedAt,
    lines: null,
  };
}
