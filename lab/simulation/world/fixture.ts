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
import { SUBSCRIBED_EVENTS } from '../../../src/adapters/http/receive-delivery.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import { createRandom } from './random.ts';

/** Who is there, and where: ids in the simulated GitHub. */
export type CaseFixture = {
  readonly state: GitHubState;
  readonly appId: number;
  readonly botId: number;
  readonly slug: string;
  readonly repositoryId: number;
  readonly ref: PullRequestRef;
  /** Two who may write, the author who may read, somebody passing by, and another App's bot. */
  readonly people: Readonly<Record<Login, number>>;
};

const LOGINS = ['ana', 'ben', 'carl', 'dora', 'helper[bot]', 'acme'] as const;

export type Login = (typeof LOGINS)[number];

export const START_TIME = Date.UTC(2030, 0, 1);

export const GITHUB_URL = 'https://github.example';

export const HEAD_BRANCH = 'topic';

export const OTHER_BASE = 'release';

const APP_SLUG = 'countersign';

/** The files of the pull request; every line stands once. */
export const FILE_PATHS = ['src/total.ts', 'src/cart.ts', 'docs/notes.md'] as const;

const LINES_PER_FILE = 14;

function initialText(path: string): string {
  const random = createRandom(path.length);
  const lines = Array.from(
    { length: LINES_PER_FILE },
    (_, index) => `${path} line ${index} ${random.integer(1_000)}\n`,
  );
  return lines.join('');
}

/** Where the pull request's branch lies: in the repository itself, or in its author's fork of it. */
type PullOrigin = 'branch' | 'fork';

const fixtureCache = new Map<PullOrigin, CaseFixture>();

/** The scene that every case of this origin begins with; made once, because it is the same. */
export function createCaseFixture(origin: PullOrigin): CaseFixture {
  const fixture = fixtureCache.get(origin) ?? buildFixture(origin);
  fixtureCache.set(origin, fixture);
  const { state } = fixture;
  return {
    ...fixture,
    state: { ...state, store: { objects: new Map(state.store.objects) }, auditLog: EMPTY_AUDIT_LOG },
  };
}

function buildFixture(origin: PullOrigin): CaseFixture {
  let state = createGitHubState({ apiUrl: `${GITHUB_URL}/api/v3`, webUrl: GITHUB_URL });
  const apply: ApplyOperation = (operation, input) => {
    const outcome = operation(state, input, START_TIME);
    if (!outcome.ok) throw new Error(outcome.error.message);
    state = outcome.state;
    return outcome.value;
  };
  const people = addAccounts(apply);
  const app = registerApp(apply, people.acme);
  const files = new Map(
    FILE_PATHS.map((path) => [path, { mode: '100644' as const, bytes: Buffer.from(initialText(path)) }]),
  );
  const { id: repositoryId, refs } = apply(OPERATIONS.addRepository, { ownerId: people.acme, name: 'shop', files });
  const installation = apply(OPERATIONS.installApp, { appId: app.id, accountId: people.acme });
  for (const login of ['ana', 'ben', 'carl'] as const)
    apply(OPERATIONS.setPermission, { repositoryId, accountId: people[login], permission: 'write' });
  const { number } = openPullRequest(apply, { id: repositoryId, refs }, people.carl, origin);
  apply(OPERATIONS.setPermission, { repositoryId, accountId: people.carl, permission: 'read' });
  const ref = { installationId: installation.id, repositoryId, owner: 'acme', repo: 'shop', number };
  return { state, appId: app.id, botId: app.botId, slug: app.slug, repositoryId, ref, people };
}

function addAccounts(apply: ApplyOperation): CaseFixture['people'] {
  const join = (login: Login, type: FakeAccountType): number => apply(OPERATIONS.addAccount, { login, type }).id;
  return {
    acme: join('acme', 'Organization'),
    ana: join('ana', 'User'),
    ben: join('ben', 'User'),
    carl: join('carl', 'User'),
    dora: join('dora', 'User'),
    'helper[bot]': join('helper[bot]', 'Bot'),
  };
}

function registerApp(apply: ApplyOperation, ownerId: number): FakeApp {
  const permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
  return apply(OPERATIONS.addApp, { slug: APP_SLUG, ownerId, permissions, events: SUBSCRIBED_EVENTS });
}

type ApplyOperation = <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;

/**
 * The pull request puts a line on top of two of the three files. Where it comes from a fork, the repository has a branch
 * of the same name with other work on it.
 */
function openPullRequest(
  apply: ApplyOperation,
  repository: Pick<FakeRepository, 'id' | 'refs'>,
  accountId: number,
  origin: PullOrigin,
): FakePullRequest {
  const here = { actor: { accountId, viaAppId: null }, repositoryId: repository.id };
  const sha = repository.refs.get('refs/heads/main') ?? '';
  for (const name of [HEAD_BRANCH, OTHER_BASE])
    apply(OPERATIONS.createGitRef, { ...here, ref: `refs/heads/${name}`, sha });
  const changed = FILE_PATHS.slice(0, 2).map((path) => [path, `touched\n${initialText(path)}`] as const);
  const open = { ...here, title: 'Work on the shop', base: 'main' };
  if (origin === 'branch') {
    apply(OPERATIONS.pushFiles, { ...here, branch: HEAD_BRANCH, files: new Map(changed) });
    return apply(OPERATIONS.createPullRequest, { ...open, head: HEAD_BRANCH });
  }
  const { id: forkId } = apply(OPERATIONS.forkRepository, { repositoryId: repository.id, ownerId: accountId });
  apply(OPERATIONS.pushFiles, { ...here, repositoryId: forkId, branch: HEAD_BRANCH, files: new Map(changed) });
  apply(OPERATIONS.pushFiles, { ...here, branch: HEAD_BRANCH, files: new Map(changed.slice(1)) });
  return apply(OPERATIONS.createPullRequest, { ...open, head: { repositoryId: forkId, branch: HEAD_BRANCH } });
}
