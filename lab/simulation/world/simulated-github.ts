import { type GitObjectStore, readBlob, readGitCommit, type Sha } from '../../../fakes/github/git/objects.ts';
import { readDirectoryOrEmpty } from '../../../fakes/github/git/trees.ts';
import { listPullFileDiffs } from '../../../fakes/github/state/commits.ts';
import type {
  FakeInstallation,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../../../fakes/github/state/github-state.ts';
import { listLatestVerdicts } from '../../../fakes/github/state/lookup.ts';
import type { Operation, OperationResult, WebhookEvent } from '../../../fakes/github/state/operation.ts';
import type { PostedComment } from '../../../src/core/state/posted-comment.ts';
import type { PullFacts } from '../../../src/core/step/facts.ts';
import { type DeliveryLog, GitHubError, type LoggedDelivery, type Tree } from '../../../src/core/step/ports.ts';
import { type CaseFixture, LOGINS, type Login } from './fixture.ts';
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
    approvals: listLatestVerdicts(pull).filter(({ state: verdict }) => verdict === 'APPROVED').length,
    defaultBranch: repository.defaultBranch,
    description: pull.body ?? '',
    labels: [],
  };
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

type TreeEntry = Tree extends ReadonlyMap<string, infer Entry> ? Entry : never;

function createTree(): Map<string, TreeEntry> {
  return new Map();
}

/** A comment of the App, in the conversation or in a review thread. */
export type BotComment = {
  readonly kind: PostedComment['kind'];
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
  readonly createdAt: string;
};

/** All comments of the App. Those in review threads come first. */
export function listBotComments({ pull }: PullSnapshot, { botId }: Pick<CaseFixture, 'botId'>): readonly BotComment[] {
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

/** The App's installation on the account, suspended or not. */
export function findInstallation(
  state: GitHubState,
  { appId }: Pick<CaseFixture, 'appId'>,
): FakeInstallation | undefined {
  return [...state.installations.values()].find((installation) => installation.appId === appId);
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
