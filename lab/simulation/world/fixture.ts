import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { EMPTY_AUDIT_LOG } from '../../../fakes/github/state/audit-log.ts';
import type {
  FakeAccountType,
  FakeApp,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../../../fakes/github/state/github-state.ts';
import type { Operation } from '../../../fakes/github/state/operation.ts';
import { createGitHubState } from '../../../fakes/github/state/update.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import { SUBSCRIBED_EVENTS } from '../../../src/core/step/app-rights.ts';
import { createRandom } from './random.ts';

/** The initial state of a case, with the ids of the App, its pull request and the accounts. */
export type CaseFixture = {
  readonly state: GitHubState;
  readonly appId: number;
  readonly botId: number;
  readonly slug: string;
  readonly repositoryId: number;
  readonly ref: PullRequestRef;
  /** Ids. `ana` and `ben` can write, the author `carl` can read, `dora` has no role, `helper[bot]` is another App's. */
  readonly people: Readonly<Record<Login, number>>;
};

export const LOGINS = ['ana', 'ben', 'carl', 'dora', 'helper[bot]', 'acme'] as const;

export type Login = (typeof LOGINS)[number];

export const START_TIME = Date.UTC(2030, 0, 1);

export const GITHUB_URL = 'https://github.example';

export const HEAD_BRANCH = 'topic';

export const OTHER_BASE = 'release';

const APP_SLUG = 'countersign';

/** The files of the repository. All their lines differ. */
export const FILE_PATHS = ['src/total.ts', 'src/cart.ts', 'docs/agents.md'] as const;

const LINES_PER_FILE = 14;

function initialText(path: string): string {
  const random = createRandom(path.length);
  const lines = Array.from(
    { length: LINES_PER_FILE },
    (_, index) => `${path} line ${index} ${random.integer(1_000)}\n`,
  );
  return lines.join('');
}

/** The location of the pull request's branch: in the repository, or in the author's fork. */
type PullOrigin = 'branch' | 'fork';

/** Files beside those of `FILE_PATHS`, and the description of the pull request. */
export type ExtraContent = {
  readonly files: ReadonlyMap<string, { readonly mode: '100644' | '120000'; readonly bytes: Uint8Array }>;
  /** The pull request's changes to them; null deletes a file. */
  readonly changed: ReadonlyMap<string, string | null>;
  readonly description: string;
};

const NO_EXTRA_CONTENT: ExtraContent = { files: new Map(), changed: new Map(), description: '' };

const fixtureCache = new Map<ExtraContent, Map<PullOrigin, CaseFixture>>();

/** The initial state for this origin. It is built once and copied for each case. */
export function createCaseFixture(origin: PullOrigin, extra: ExtraContent = NO_EXTRA_CONTENT): CaseFixture {
  const cached = fixtureCache.get(extra) ?? new Map<PullOrigin, CaseFixture>();
  const fixture = cached.get(origin) ?? buildFixture(origin, extra);
  fixtureCache.set(extra, cached.set(origin, fixture));
  const { state } = fixture;
  return {
    ...fixture,
    state: { ...state, store: { objects: new Map(state.store.objects) }, auditLog: EMPTY_AUDIT_LOG },
  };
}

function buildFixture(origin: PullOrigin, extra: ExtraContent): CaseFixture {
  let state = createGitHubState({ apiUrl: `${GITHUB_URL}/api/v3`, webUrl: GITHUB_URL });
  const apply: ApplyOperation = (operation, input) => {
    const outcome = operation(state, input, START_TIME);
    if (!outcome.ok) throw new Error(outcome.error.message);
    state = outcome.state;
    return outcome.value;
  };
  const people = addAccounts(apply);
  const app = registerApp(apply, people.acme);
  const ownFiles = FILE_PATHS.map(
    (path) => [path, { mode: '100644' as const, bytes: Buffer.from(initialText(path)) }] as const,
  );
  const files = new Map([...ownFiles, ...extra.files]);
  const { id: repositoryId, refs } = apply(OPERATIONS.addRepository, { ownerId: people.acme, name: 'shop', files });
  const installation = apply(OPERATIONS.installApp, { appId: app.id, accountId: people.acme });
  for (const login of ['ana', 'ben', 'carl'] as const)
    apply(OPERATIONS.setPermission, { repositoryId, accountId: people[login], permission: 'write' });
  const { number } = openPullRequest(apply, { id: repositoryId, refs }, people.carl, origin, extra);
  apply(OPERATIONS.setPermission, { repositoryId, accountId: people.carl, permission: 'read' });
  const remarks = FILE_PATHS.slice(0, 2).map((path) => ({ path, line: 1, body: 'Another word, please.' }));
  const reviewer = { actor: { accountId: people.ben, viaAppId: null }, repositoryId, number };
  apply(OPERATIONS.createPullRequestReview, { ...reviewer, event: 'COMMENT', body: 'Two words.', comments: remarks });
  const ref = { installationId: installation.id, repositoryId, owner: 'acme', repo: 'shop', number };
  return { state, appId: app.id, botId: app.botId, slug: app.slug, repositoryId, ref, people };
}

function addAccounts(apply: ApplyOperation): CaseFixture['people'] {
  const addAccount = (login: Login, type: FakeAccountType): number => apply(OPERATIONS.addAccount, { login, type }).id;
  return {
    acme: addAccount('acme', 'Organization'),
    ana: addAccount('ana', 'User'),
    ben: addAccount('ben', 'User'),
    carl: addAccount('carl', 'User'),
    dora: addAccount('dora', 'User'),
    'helper[bot]': addAccount('helper[bot]', 'Bot'),
  };
}

function registerApp(apply: ApplyOperation, ownerId: number): FakeApp {
  const permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
  return apply(OPERATIONS.addApp, { slug: APP_SLUG, ownerId, permissions, events: SUBSCRIBED_EVENTS });
}

type ApplyOperation = <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;

/**
 * Opens a pull request that adds a first line to two of the three files. If it comes from a fork, the repository has a
 * branch of the same name with a different commit.
 */
function openPullRequest(
  apply: ApplyOperation,
  repository: Pick<FakeRepository, 'id' | 'refs'>,
  accountId: number,
  origin: PullOrigin,
  extra: ExtraContent,
): FakePullRequest {
  const target = { actor: { accountId, viaAppId: null }, repositoryId: repository.id };
  const sha = repository.refs.get('refs/heads/main') ?? '';
  for (const name of [HEAD_BRANCH, OTHER_BASE])
    apply(OPERATIONS.createGitRef, { ...target, ref: `refs/heads/${name}`, sha });
  const ownChanges = FILE_PATHS.slice(0, 2).map((path) => [path, `touched\n${initialText(path)}`] as const);
  const changed = [...ownChanges, ...extra.changed];
  const request = { ...target, title: 'Work on the shop', body: extra.description, base: 'main' };
  if (origin === 'branch') {
    apply(OPERATIONS.pushFiles, { ...target, branch: HEAD_BRANCH, files: new Map(changed) });
    return apply(OPERATIONS.createPullRequest, { ...request, head: HEAD_BRANCH });
  }
  const { id: forkId } = apply(OPERATIONS.forkRepository, { repositoryId: repository.id, ownerId: accountId });
  apply(OPERATIONS.pushFiles, { ...target, repositoryId: forkId, branch: HEAD_BRANCH, files: new Map(changed) });
  apply(OPERATIONS.pushFiles, { ...target, branch: HEAD_BRANCH, files: new Map(changed.slice(1)) });
  return apply(OPERATIONS.createPullRequest, { ...request, head: { repositoryId: forkId, branch: HEAD_BRANCH } });
}
