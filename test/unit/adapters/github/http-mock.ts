import { generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import {
  createGitHub,
  type GitHubAppClient,
  type GitHubOptions,
} from '../../../../src/adapters/github/create-github.ts';
import type { PullRequestRef } from '../../../../src/core/state/intent.ts';
import { type GitHub, GitHubError } from '../../../../src/core/state/ports.ts';

// Only while a test asks for it may it stand between a worker's tests and the network; importing it puts it there.
nock.restore();

export const API = 'https://api.github.com';

export const NOW = Date.parse('2026-11-21T12:00:00Z');

export const BOT_ID = 4711;

export const HEAD = 'a'.repeat(40);

export const REF: PullRequestRef = { installationId: 11, repositoryId: 22, owner: 'ana', repo: 'shop', number: 3 };

export const REPO = '/repos/ana/shop';

export const READ_PERMISSIONS = { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' };

export const WRITE_PERMISSIONS = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' };

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

export const PRIVATE_KEY = privateKey;

type Permissions = Readonly<Record<string, string>>;

/** A GitHub that answers what a test says and nothing else. */
export type HttpMock = {
  readonly githubs: GitHubAppClient;
  readonly github: GitHub;
  /** Expects that one token is minted, and answers it. */
  readonly mints: (permissions: Permissions, token: string) => void;
  /** Requests with this token. */
  readonly as: (token: string) => nock.Scope;
  /** Requests as the App itself or as nobody. */
  readonly plain: () => nock.Scope;
  /** Expects that the App asks who it is. */
  readonly introduces: () => void;
  /** Fails where something was asked that no test said, or said and never asked. */
  readonly finish: () => void;
};

export function mockHttp(options: Partial<GitHubOptions> = {}): HttpMock {
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  const unexpected: string[] = [];
  const note = (request: { method?: string; path?: string }) =>
    void unexpected.push(`${String(request.method)} ${String(request.path)}`);
  nock.emitter.on('no match', note);
  const githubs = createGitHub({
    appId: 1,
    privateKey: PRIVATE_KEY,
    baseUrl: API,
    version: '9.9.9',
    now: () => NOW,
    ...options,
  });
  const plain = () => nock(API);
  return {
    githubs,
    github: githubs.forPull(REF),
    plain,
    as: (token) => nock(API, { reqheaders: { authorization: `token ${token}` } }),
    mints: (permissions, token) => {
      plain()
        .post('/app/installations/11/access_tokens', { repository_ids: [22], permissions })
        .reply(201, { token, expires_at: '2026-11-21T13:00:00Z', permissions, repository_selection: 'selected' });
    },
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

/** The fault that a promise ends in; anything else fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<GitHubError> {
  const failure: unknown = await promise.catch((error: unknown) => error);
  if (!(failure instanceof GitHubError)) throw new Error(`no GitHubError: ${String(failure)}`);
  return failure;
}
