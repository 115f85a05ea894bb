import { findMergeBase, listCommitsBetween } from '../../../fakes/github/git/ancestry.ts';
import { readBlob, readGitCommit, type Sha } from '../../../fakes/github/git/objects.ts';
import {
  computeFileDiff,
  diffCommits,
  listPullFileDiffs,
  type TreeFileDiff,
} from '../../../fakes/github/state/commits.ts';
import { collaboratorRoleOf, findBranchHead } from '../../../fakes/github/state/lookup.ts';
import { firstLineOf, normalizeBody, toCommentText, toPostedComment } from '../../../src/adapters/github/comments.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import { commentKey, MAX_SERVER_SKEW_MS, type PostedComment } from '../../../src/core/state/posted-comment.ts';
import { CHECK_RUN_NAME } from '../../../src/core/state/pull-state.ts';
import {
  type CommitSummary,
  type FoundComment,
  type GitHub,
  GitHubError,
  type OwnReview,
  type PullRequestFile,
  type PushComparison,
  type Tree,
} from '../../../src/core/step/ports.ts';
import { detailsOf, readPullChecks } from './checks.ts';
import { readDiscussion } from './discussion.ts';
import { type CaseFixture, GITHUB_URL } from './fixture.ts';
import {
  type BotComment,
  CODEOWNERS_PATH,
  listBotComments,
  OWNERS_TEAM,
  type PullSnapshot,
  readFullTree,
  readOwnersTeam,
  readPullFacts,
  type SimulatedGitHub,
} from './simulated-github.ts';
import type { Trace } from './trace.ts';
import { readVoteSources } from './vote-sources.ts';

/** The pull request of a port. */
export type PortContext = {
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly trace: Trace;
  /** The current pull request. Throws a `GitHubError` while the App is suspended or removed. */
  readonly snapshot: () => PullSnapshot;
};

const PERMISSION_OF_ROLE = { admin: 'admin', write: 'write', read: 'read', none: 'none' } as const;

/** The methods of the port that read. Each is one lookup. */
export function readMethods({ simulatedGitHub, fixture, snapshot }: PortContext) {
  return {
    fetchPull: async () => readPullFacts(snapshot()),
    fetchRecentPull: async () => readPullFacts(snapshot()),
    fetchPermission: async (login) => {
      const { state, repository } = snapshot();
      const account = [...state.accounts.values()].find((candidate) => candidate.login === login);
      if (account?.type !== 'User') return { permission: 'none', userId: null };
      const { permission } = collaboratorRoleOf(repository, account.id);
      return { permission: PERMISSION_OF_ROLE[permission], userId: account.id };
    },
    missingPermissions: async () => [],
    fetchSettingsFile: async () => {
      const bytes = readDefaultBranchFile(snapshot(), SETTINGS_PATH);
      return bytes === undefined ? null : { kind: 'file', bytes };
    },
    fetchCodeOwnersFile: async () => {
      const bytes = readDefaultBranchFile(snapshot(), CODEOWNERS_PATH);
      return bytes === undefined ? null : { path: CODEOWNERS_PATH, bytes };
    },
    fetchTeamMembership: async (team, login) => {
      snapshot();
      const members = readOwnersTeam(simulatedGitHub, fixture);
      if (members === null) return 'unreadable';
      return team === `@${OWNERS_TEAM}` && members.some((one) => one === login) ? 'member' : 'not-member';
    },
    fetchTree: async (sha) => readFullTree(snapshot().state.store, sha),
    fetchDiscussion: async () => readDiscussion(snapshot()),
    fetchChecks: async () => readPullChecks(snapshot(), fixture),
    fetchCheckDetails: async (check) => {
      snapshot();
      return detailsOf(check);
    },
    fetchMergeBase: async (base, head) => {
      const sha = findMergeBase(snapshot().state.store, base, head);
      if (sha === undefined) throw new GitHubError('no common ancestor', 404, null);
      return sha;
    },
    fetchBlob: async (sha) => requireBlob(snapshot(), sha),
    fetchArchive: async (sha) => {
      const files = [...readFullTree(snapshot().state.store, sha)].filter(([, { mode }]) => mode !== '040000');
      return new Map(files.map(([path, { sha: blob }]) => [path, requireBlob(snapshot(), blob)]));
    },
    listFiles: async () => {
      const { state, pull } = snapshot();
      return listPullFileDiffs(state.store, pull).map(toPullRequestFile);
    },
    fetchRules: async (branch) =>
      snapshot()
        .repository.rulesets.filter(({ branches }) => branches.includes('*') || branches.includes(branch))
        .flatMap(({ types, dismissesStaleReviews = false }) =>
          types.map((type) => ({ type, dismissesReviews: type === 'pull_request' && dismissesStaleReviews })),
        ),
    otherPullsOnBranch: async (branch) => {
      const { repository, pull } = snapshot();
      return [...repository.pulls.values()]
        .filter(({ state, head }) => state === 'open' && head.branch === branch && head.repositoryId === repository.id)
        .flatMap(({ number }) => (number === pull.number ? [] : [number]));
    },
    listCommits: async (base, head) => listCommitSummaries(snapshot(), base, head),
    fetchBranchTree: async (branch) => readBranchTree(snapshot(), branch),
    comparePush: async (before, after) => comparePush(snapshot(), before, after),
    listReviewComments: async (reviewId) => {
      const { pull } = snapshot();
      if (!pull.reviews.has(reviewId)) return null;
      return [...pull.reviewComments.values()]
        .filter((comment) => comment.reviewId === reviewId)
        .map(({ id, inReplyToId, body, updatedAt }) => ({ rootId: inReplyToId ?? id, body, updatedAt }));
    },
    findReviews: async (marker) =>
      [...snapshot().pull.reviews.values()]
        .filter(({ authorId, body }) => authorId === fixture.botId && firstLineOf(body) === marker)
        .map(({ id, state }) => toPostedReview(id, state)),
    findCommentsByMarker: async (markers, since) => findBotComments(snapshot(), fixture, markers, since),
    fetchCommentTexts: async (comments) => {
      const { pull } = snapshot();
      const texts = comments.map((comment) => {
        const { kind, id } = comment;
        const body = (kind === 'issue-comment' ? pull.comments.get(id) : pull.reviewComments.get(id))?.body;
        return [commentKey(comment), body === undefined ? null : toCommentText(body)];
      });
      return Object.fromEntries(texts);
    },
    fetchVoteSources: async (locations) => readVoteSources(snapshot(), locations),
    findCheckRuns: async (head) =>
      [...snapshot().repository.checkRuns.values()]
        .filter((run) => run.headSha === head && run.name === CHECK_RUN_NAME && run.appId === fixture.appId)
        .toReversed()
        .map(({ id, externalId, conclusion }) => ({ id, externalId, conclusion })),
    hasPosted: async (body, since) => {
      const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
      return listBotComments(snapshot(), fixture).some(
        (comment) => comment.createdAt >= from && normalizeBody(comment.body) === normalizeBody(body),
      );
    },
  } satisfies Partial<GitHub>;
}

function readDefaultBranchFile({ state, repository }: PullSnapshot, path: string): Uint8Array | undefined {
  const tip = findBranchHead(repository, repository.defaultBranch);
  const entry = tip === undefined ? undefined : readFullTree(state.store, tip).get(path);
  return entry === undefined ? undefined : readBlob(state.store, entry.sha);
}

function requireBlob({ state }: PullSnapshot, sha: Sha): Uint8Array {
  const bytes = readBlob(state.store, sha);
  if (bytes === undefined) throw new GitHubError('no such blob', 404, null);
  return bytes;
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
function toPullRequestFile({ change, patch }: TreeFileDiff): PullRequestFile {
  return {
    path: change.path,
    previousPath: change.status === 'renamed' ? change.previousPath : null,
    status: change.status,
    added: patch.additions,
    removed: patch.deletions,
    patch: patch.text,
  };
}

/** Newest first; `head` is a commit or a branch. */
function listCommitSummaries({ state, repository }: PullSnapshot, base: Sha, head: string): readonly CommitSummary[] {
  const tip = findBranchHead(repository, head) ?? head;
  if (readGitCommit(state.store, tip) === undefined) throw new GitHubError('no such branch', 404, null);
  return [...listCommitsBetween(state.store, base, tip)].reverse().flatMap((sha) => {
    const commit = readGitCommit(state.store, sha);
    if (commit === undefined) return [];
    const author = /^(\d+)\+/.exec(commit.author.email)?.[1];
    const authorId = author === undefined ? null : Number(author);
    return [{ sha, parent: commit.parents[0] ?? null, message: commit.message, authorId }];
  });
}

function findBotComments(
  snapshot: PullSnapshot,
  bot: Pick<CaseFixture, 'botId'>,
  markers: readonly string[],
  since: string | null,
): ReadonlyMap<string, FoundComment> {
  const found = new Map<string, FoundComment>();
  for (const comment of listBotComments(snapshot, bot)) {
    const marker = firstLineOf(comment.body);
    if (!markers.includes(marker) || found.has(marker)) continue;
    if (since !== null && Date.parse(comment.createdAt) < Date.parse(since) - MAX_SERVER_SKEW_MS) continue;
    found.set(marker, { ...asPostedComment(comment.kind, comment, comment.body), body: comment.body });
  }
  return found;
}

/** Converts a comment to the form that the App stores. */
export function asPostedComment(
  kind: PostedComment['kind'],
  { id, nodeId, createdAt }: Pick<BotComment, 'id' | 'nodeId' | 'createdAt'>,
  body: string,
): PostedComment {
  const url = `${GITHUB_URL}/acme/shop/pull/1#${kind}-${id}`;
  return toPostedComment(kind, { id, node_id: nodeId, created_at: createdAt, html_url: url }, body);
}

export function toPostedReview(id: number, state: string): OwnReview {
  const status =
    state === 'CHANGES_REQUESTED' ? 'changes-requested' : state === 'DISMISSED' ? 'dismissed' : 'commented';
  return { id, url: `${GITHUB_URL}/acme/shop/pull/1#review-${id}`, status };
}
