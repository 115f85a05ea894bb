import { findMergeBase, listCommitsBetween } from '../../../fakes/github/git/ancestry.ts';
import { type GitObjectStore, readBlob, readGitCommit, type Sha } from '../../../fakes/github/git/objects.ts';
import { readDirectoryOrEmpty } from '../../../fakes/github/git/trees.ts';
import { listPullFileDiffs } from '../../../fakes/github/state/commits.ts';
import type {
  FakeInstallation,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../../../fakes/github/state/github-state.ts';
import { collaboratorRoleOf, findBranchHead } from '../../../fakes/github/state/lookup.ts';
import type { Operation, OperationResult, WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { firstLineOf, normalizeBody, toCommentText, toPostedComment } from '../../../src/adapters/github/comments.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import type { BranchRule } from '../../../src/core/state/head-branch.ts';
import { commentKey, MAX_SERVER_SKEW_MS, type PostedComment } from '../../../src/core/state/posted-comment.ts';
import type { PullFacts, SubmittedReviewComment } from '../../../src/core/step/facts.ts';
import {
  type CommitSummary,
  type DeliveryLog,
  type FoundComment,
  type GitHub,
  GitHubError,
  type LoggedDelivery,
  type OwnReview,
  type Tree,
} from '../../../src/core/step/ports.ts';
import { type CaseFixture, GITHUB_URL, LOGINS, type Login } from './fixture.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The fake GitHub's state of one case, without HTTP. Reports each webhook event of a change. */
export class SimulatedGitHub {
  state: GitHubState;
  readonly #clock: VirtualClock;
  readonly #onEvent: (event: WebhookEvent) => void;

  constructor(state: GitHubState, clock: VirtualClock, onEvent: (event: WebhookEvent) => void) {
    this.state = state;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Ms since the epoch. */
  get now(): number {
    return this.#clock.now;
  }

  /** Applies a write and reports its events. A refused write changes nothing. */
  apply<Input, Value>(operation: Operation<Input, Value>, input: Input): OperationResult<Value> {
    const outcome = operation(this.state, input, this.#clock.now);
    this.state = outcome.state;
    for (const event of outcome.events) this.#onEvent(event);
    return outcome;
  }
}

/** A pull request at one moment. */
export type PullSnapshot = {
  readonly state: GitHubState;
  readonly repository: FakeRepository;
  readonly pull: FakePullRequest;
};

type BotIdentity = { readonly botId: number; readonly appId: number };

export function readPullFacts({ state, repository, pull }: PullSnapshot): PullFacts {
  const author = state.accounts.get(pull.authorId);
  return {
    state: pull.merge !== null ? 'merged' : pull.state,
    draft: pull.draft,
    title: pull.title,
    author: author === undefined ? null : { id: author.id, login: author.login },
    baseRef: pull.base.branch,
    baseSha: pull.base.sha,
    headRef: pull.head.branch,
    headSha: pull.head.sha,
    fork: pull.head.repositoryId !== repository.id,
    changedFiles: listPullFileDiffs(state.store, pull).length,
    defaultBranch: repository.defaultBranch,
    description: pull.body ?? '',
    labels: [],
  };
}

const PERMISSION_OF_ROLE = { admin: 'admin', write: 'write', read: 'read', none: 'none' } as const;

export function readPermission(
  { state, repository }: PullSnapshot,
  login: string,
): Awaited<ReturnType<GitHub['fetchPermission']>> {
  const account = [...state.accounts.values()].find((candidate) => candidate.login === login);
  if (account?.type !== 'User') return { permission: 'none', userId: null };
  return {
    permission: PERMISSION_OF_ROLE[collaboratorRoleOf(repository, account.id).permission],
    userId: account.id,
  };
}

export function readSettingsFile(snapshot: PullSnapshot): Awaited<ReturnType<GitHub['fetchSettingsFile']>> {
  const bytes = readDefaultBranchFile(snapshot, SETTINGS_PATH);
  return bytes === undefined ? null : { kind: 'file', bytes };
}

export function readCodeOwnersFile(snapshot: PullSnapshot): Awaited<ReturnType<GitHub['fetchCodeOwnersFile']>> {
  const bytes = readDefaultBranchFile(snapshot, CODEOWNERS_PATH);
  return bytes === undefined ? null : { path: CODEOWNERS_PATH, bytes };
}

/** The team that `CODEOWNERS` can name. */
export const OWNERS_TEAM = 'acme/owners';

/** The logins of the owners' team; null while the App may not see its members. */
export function readOwnersTeam({ state }: SimulatedGitHub, fixture: CaseFixture): readonly Login[] | null {
  if (findInstallation(state, fixture)?.permissions['members'] !== 'read') return null;
  const members = state.teams.get(OWNERS_TEAM) ?? [];
  return LOGINS.filter((login) => members.includes(fixture.people[login]));
}

/** The place where the simulated repository has the file. */
export const CODEOWNERS_PATH = '.github/CODEOWNERS';

function readDefaultBranchFile({ state, repository }: PullSnapshot, path: string): Uint8Array | undefined {
  const tip = findBranchHead(repository, repository.defaultBranch);
  const entry = tip === undefined ? undefined : readFullTree(state.store, tip).get(path);
  return entry === undefined ? undefined : readBlob(state.store, entry.sha);
}

/** All entries of a commit's tree by path, including directories. Throws a `GitHubError` for an unknown commit. */
export function readFullTree(store: GitObjectStore, commit: Sha): Map<string, TreeEntry> {
  const entries = createTree();
  const walk = (sha: Sha, prefix: string): void => {
    for (const [name, entry] of readDirectoryOrEmpty(store, sha)) {
      const size = entry.mode === '040000' ? null : (readBlob(store, entry.sha)?.byteLength ?? null);
      entries.set(`${prefix}${name}`, { ...entry, size });
      if (entry.mode === '040000') walk(entry.sha, `${prefix}${name}/`);
    }
  };
  const gitCommit = readGitCommit(store, commit);
  if (gitCommit === undefined) throw new GitHubError('no such commit', 404, null);
  walk(gitCommit.tree, '');
  return entries;
}

export function readMergeBase({ state }: PullSnapshot, base: Sha, head: Sha): Sha {
  const sha = findMergeBase(state.store, base, head);
  if (sha === undefined) throw new GitHubError('no common ancestor', 404, null);
  return sha;
}

export function requireBlob({ state }: PullSnapshot, sha: Sha): Uint8Array {
  const bytes = readBlob(state.store, sha);
  if (bytes === undefined) throw new GitHubError('no such blob', 404, null);
  return bytes;
}

export function readArchive(snapshot: PullSnapshot, commit: Sha): ReadonlyMap<string, Uint8Array> {
  const files = [...readFullTree(snapshot.state.store, commit)].filter(([, { mode }]) => mode !== '040000');
  return new Map(files.map(([path, { sha }]) => [path, requireBlob(snapshot, sha)]));
}

export function listRulesFor({ repository }: PullSnapshot, branch: string): readonly BranchRule[] {
  return repository.rulesets
    .filter(({ branches }) => branches.includes('*') || branches.includes(branch))
    .flatMap(({ types, dismissesStaleReviews = false }) =>
      types.map((type) => ({ type, dismissesReviews: type === 'pull_request' && dismissesStaleReviews })),
    );
}

export function listOtherPulls({ repository, pull }: PullSnapshot, branch: string): readonly number[] {
  return [...repository.pulls.values()]
    .filter(({ state, head }) => state === 'open' && head.branch === branch && head.repositoryId === repository.id)
    .filter(({ number }) => number !== pull.number)
    .map(({ number }) => number);
}

export function countApprovingReviews({ pull }: PullSnapshot): number {
  const latestReviews = new Map([...pull.reviews.values()].map(({ authorId, state }) => [authorId, state]));
  return [...latestReviews.values()].filter((state) => state === 'APPROVED').length;
}

/** Newest first; `head` is a commit or a branch. */
export function listCommitSummaries(
  { state, repository }: PullSnapshot,
  base: Sha,
  head: string,
): readonly CommitSummary[] {
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

export function selectReviewComments(
  { pull }: PullSnapshot,
  reviewId: number,
): readonly SubmittedReviewComment[] | null {
  if (!pull.reviews.has(reviewId)) return null;
  return [...pull.reviewComments.values()]
    .filter((comment) => comment.reviewId === reviewId)
    .map(({ id, inReplyToId, body, updatedAt }) => ({ rootId: inReplyToId ?? id, body, updatedAt }));
}

type TreeEntry = Tree extends ReadonlyMap<string, infer Entry> ? Entry : never;

function createTree(): Map<string, TreeEntry> {
  return new Map();
}

/** A comment of the App, in the conversation or in a review thread. */
type BotComment = {
  readonly kind: PostedComment['kind'];
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
  readonly createdAt: string;
};

/** Converts a comment to the form that the App stores. */
export function asPostedComment(
  kind: PostedComment['kind'],
  { id, nodeId, createdAt }: Pick<BotComment, 'id' | 'nodeId' | 'createdAt'>,
  body: string,
): PostedComment {
  const url = `${GITHUB_URL}/acme/shop/pull/1#${kind}-${id}`;
  return toPostedComment(kind, { id, node_id: nodeId, created_at: createdAt, html_url: url }, body);
}

/** All comments of the App. Those in review threads come first. */
export function listBotComments({ pull }: PullSnapshot, { botId }: Pick<BotIdentity, 'botId'>): readonly BotComment[] {
  const inThreads = [...pull.reviewComments.values()].map((comment) => {
    const locationKind = pull.threads.get(comment.threadId)?.location.kind;
    return { ...comment, kind: locationKind === 'file' ? ('file-comment' as const) : ('review-comment' as const) };
  });
  const others = [...pull.comments.values()].map((comment) => ({ ...comment, kind: 'issue-comment' as const }));
  return [...inThreads, ...others].filter(({ authorId }) => authorId === botId);
}

/** All comments of the App on all pull requests of the repository. */
export function listAllBotComments(played: {
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
}): readonly BotComment[] {
  const { simulatedGitHub, fixture } = played;
  return snapshotAllPulls(simulatedGitHub, fixture).flatMap((snapshot) => listBotComments(snapshot, fixture));
}

export function findBotComments(
  snapshot: PullSnapshot,
  bot: BotIdentity,
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

export function hasBotComment(snapshot: PullSnapshot, bot: BotIdentity, body: string, since: string): boolean {
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  return listBotComments(snapshot, bot).some(
    (comment) => comment.createdAt >= from && normalizeBody(comment.body) === normalizeBody(body),
  );
}

export function readCommentTexts(
  { pull }: PullSnapshot,
  comments: readonly PostedComment[],
): Awaited<ReturnType<GitHub['fetchCommentTexts']>> {
  const bodyOf = ({ kind, id }: PostedComment): string | undefined =>
    (kind === 'issue-comment' ? pull.comments.get(id) : pull.reviewComments.get(id))?.body;
  return Object.fromEntries(
    comments.map((comment) => {
      const body = bodyOf(comment);
      return [commentKey(comment), body === undefined ? null : toCommentText(body)];
    }),
  );
}

export function findReviewsByMarker(
  { pull }: PullSnapshot,
  { botId }: BotIdentity,
  marker: string,
): readonly OwnReview[] {
  return [...pull.reviews.values()]
    .filter(({ authorId, body }) => authorId === botId && firstLineOf(body) === marker)
    .map(({ id, state }) => toPostedReview(id, state));
}

export function toPostedReview(id: number, state: string): OwnReview {
  const status =
    state === 'CHANGES_REQUESTED' ? 'changes-requested' : state === 'DISMISSED' ? 'dismissed' : 'commented';
  return { id, url: `${GITHUB_URL}/acme/shop/pull/1#review-${id}`, status };
}

/** The retry delay that the adapter gives for a suspended installation. */
const SUSPENDED_RETRY_MS = 60_000;

/** The App's installation on the account, suspended or not. */
export function findInstallation(
  state: GitHubState,
  { appId }: Pick<CaseFixture, 'appId'>,
): FakeInstallation | undefined {
  return [...state.installations.values()].find((installation) => installation.appId === appId);
}

/** Throws GitHub's error if this installation was removed or is suspended. */
export function requireActiveInstallation(
  { state, now }: SimulatedGitHub,
  { installationId }: CaseFixture['ref'],
): void {
  const installation = state.installations.get(installationId);
  if (installation === undefined) throw new GitHubError('no such installation', 404, null);
  if (installation.suspendedAt !== null)
    throw new GitHubError('the installation is suspended', 403, now + SUSPENDED_RETRY_MS);
}

/** One delivery attempt with its payload. */
export type LoggedAttempt = LoggedDelivery & {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly acknowledged: boolean;
};

/** GitHub's log of all delivery attempts of a case. */
export type DeliveryAttemptLog = {
  readonly attempts: readonly LoggedAttempt[];
  readonly add: (attempt: Omit<LoggedAttempt, 'id'>) => void;
  /** The App's view of the log. */
  readonly port: DeliveryLog;
};

/** Longer than GitHub's, but shorter than the time for which the App remembers deliveries. */
const LOG_RETENTION_MS = 29 * 86_400_000;

export function createDeliveryAttemptLog(now: () => number): DeliveryAttemptLog {
  const attempts: LoggedAttempt[] = [];
  return {
    attempts,
    add: (attempt) => void attempts.push({ ...attempt, id: String(attempts.length) }),
    port: {
      fetchPage: async () => ({
        deliveries: attempts
          .filter(({ acknowledged, deliveredAt }) => !acknowledged && deliveredAt > now() - LOG_RETENTION_MS)
          .toReversed(),
        nextCursor: null,
      }),
      fetchPayload: async (id) => attempts[Number(id)]?.payload ?? null,
    },
  };
}

/** The pull request now. Throws a `GitHubError` if it does not exist. */
export function snapshotPull(
  simulatedGitHub: SimulatedGitHub,
  { repositoryId, ref }: Pick<CaseFixture, 'repositoryId' | 'ref'>,
): PullSnapshot {
  const repository = simulatedGitHub.state.repositories.get(repositoryId);
  const pull = repository?.pulls.get(ref.number);
  if (repository === undefined || pull === undefined) throw new GitHubError('no such pull request', 404, null);
  return { state: simulatedGitHub.state, repository, pull };
}

/** All pull requests of the repository now. */
export function snapshotAllPulls(simulatedGitHub: SimulatedGitHub, fixture: CaseFixture): readonly PullSnapshot[] {
  return listPullNumbers(simulatedGitHub, fixture).map((number) =>
    snapshotPull(simulatedGitHub, fixtureForPull(fixture, number)),
  );
}

export function listPullNumbers(
  simulatedGitHub: SimulatedGitHub,
  { repositoryId }: Pick<CaseFixture, 'repositoryId'>,
): readonly number[] {
  return [...(simulatedGitHub.state.repositories.get(repositoryId)?.pulls.keys() ?? [])];
}

/** A copy of the fixture with another pull request as its `ref`. */
export function fixtureForPull(fixture: CaseFixture, number: number): CaseFixture {
  return { ...fixture, ref: { ...fixture.ref, number } };
}
