import { generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import { afterEach, beforeEach } from 'vitest';
import {
  createGitHub,
  type GitHubAppClient,
  type GitHubOptions,
} from '../../../../src/adapters/github/create-github.ts';
import type { PullRequestRef } from '../../../../src/core/state/intent.ts';
import { type GitHub, GitHubError } from '../../../../src/core/step/ports.ts';

// Importing nock activates it; it must be active only in tests that call `mockHttp`.
nock.restore();

export const API = 'https://api.github.com';

export const NOW = Date.parse('2026-11-21T12:00:00Z');

export const BOT_ID = 4711;

export const HEAD = 'a'.repeat(40);

export const REF: PullRequestRef = { installationId: 11, repositoryId: 22, owner: 'ana', repo: 'shop', number: 3 };

export const REPO = '/repos/ana/shop';

/** The root directory of the default branch. */
export const ROOT = 'e'.repeat(40);

/** Without the optional permissions, which are for checks. */
export const REQUIRED = {
  read: { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
  write: { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' },
};

export const READ_PERMISSIONS = { ...REQUIRED.read, actions: 'read', checks: 'read', statuses: 'read' };

export const WRITE_PERMISSIONS = { ...REQUIRED.write, checks: 'write' };

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

export const PRIVATE_KEY = privateKey;

type Permissions = Readonly<Record<string, string>>;

/** A GitHub that answers only the requests that a test expects. */
export type HttpMock = {
  /** The clock of the App, unless a test has its own. */
  readonly clock: { now: number };
  readonly githubs: GitHubAppClient;
  readonly github: GitHub;
  /** Expects one request for a token, and answers it. */
  readonly mints: (permissions: Permissions, token: string) => void;
  /** Expects one request for a read-only token, and answers `ghs_read`. */
  readonly expectReadToken: () => void;
  /** Expects one request for a token that can write, and answers `ghs_write`. */
  readonly expectWriteToken: () => void;
  /** Requests with this token. */
  readonly as: (token: string) => nock.Scope;
  /** Requests as the App, or anonymous ones. */
  readonly plain: () => nock.Scope;
  /** Expects the requests for the App's identity. */
  readonly introduces: () => void;
  /** Throws for an unexpected request, or for an expected one that was never sent. */
  readonly finish: () => void;
};

export function mockHttp(options: Partial<GitHubOptions> = {}): HttpMock {
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  const unexpected: string[] = [];
  const clock = { now: NOW };
  const note = (request: { method?: string; path?: string }) =>
    void unexpected.push(`${String(request.method)} ${String(request.path)}`);
  nock.emitter.on('no match', note);
  const githubs = createGitHub({
    appId: 1,
    privateKey: PRIVATE_KEY,
    baseUrl: API,
    version: '9.9.9',
    now: () => clock.now,
    ...options,
  });
  const api = options.baseUrl ?? API;
  const plain = () => nock(api);
  const mints = (permissions: Permissions, token: string): void => {
    plain()
      .post('/app/installations/11/access_tokens', { repository_ids: [22], permissions })
      .reply(201, { token, expires_at: '2026-11-21T13:00:00Z', permissions, repository_selection: 'selected' });
  };
  return {
    clock,
    githubs,
    github: githubs.forPull(REF),
    plain,
    as: (token) => nock(api, { reqheaders: { authorization: `token ${token}` } }),
    mints,
    expectReadToken: () => mints(READ_PERMISSIONS, 'ghs_read'),
    expectWriteToken: () => mints(WRITE_PERMISSIONS, 'ghs_write'),
    introduces: () => {
      plain()
        .get('/app')
        .reply(200, { slug: 'countersign', owner: { login: 'ana' } });
      plain().get('/users/countersign%5Bbot%5D').reply(200, { id: BOT_ID, login: 'countersign[bot]' });
    },
    finish: () => {
      const pending = nock.pendingMocks();
      nock.emitter.off('no match', note);
      nock.cleanAll();
      nock.enableNetConnect();
      nock.restore();
      if (unexpected.length > 0) throw new Error(`requests that no test expects: ${unexpected.join(', ')}`);
      if (pending.length > 0) throw new Error(`requests that were never sent: ${pending.join(', ')}`);
    },
  };
}

/** The mock of the running test, in files and suites that call `mockEachTest`. */
export let http: HttpMock;

/** Its requests with the token `ghs_read`. */
export let reader: nock.Scope;

export function mockEachTest(prepare: (mock: HttpMock) => void = () => {}): void {
  beforeEach(() => {
    http = mockHttp();
    reader = http.as('ghs_read');
    prepare(http);
  });
  afterEach(() => http.finish());
}

/** The outcome of a second request, when no server of GitHub can lag any more; the first one said to wait. */
export async function outcomeLater<Value>({ clock }: HttpMock, ask: () => Promise<Value>): Promise<Value> {
  const { message, retryAt } = await errorOf(ask());
  if (retryAt === null) throw new Error(`the first answer says nothing of a wait: ${message}`);
  clock.now += 60_000;
  return ask();
}

/** The `GitHubError` of a rejected promise; throws for any other outcome. */
export async function errorOf(promise: Promise<unknown>): Promise<GitHubError> {
  const failure: unknown = await promise.catch((error: unknown) => error);
  if (!(failure instanceof GitHubError)) throw new Error(`no GitHubError: ${String(failure)}`);
  return failure;
}

const PULL = {
  state: 'OPEN',
  isDraft: true,
  title: 'Totals',
  body: 'Sums.',
  changedFiles: 4,
  labels: { nodes: [{ name: 'bug' }] },
  author: { __typename: 'User', login: 'ana', databaseId: 7 },
  baseRefName: 'main',
  baseRefOid: 'b'.repeat(40),
  headRefName: 'totals',
  headRefOid: HEAD,
  headRepository: { databaseId: 22 },
  latestOpinionatedReviews: { nodes: [{ state: 'APPROVED' }, { state: 'DISMISSED' }] },
};

/** What GraphQL answers about the pull request, and about the default branch. */
export function pullAnswer(given: object = {}) {
  return {
    pullRequest: { ...PULL, ...given },
    defaultBranchRef: { name: 'trunk', target: { tree: { oid: ROOT } } },
  };
}
