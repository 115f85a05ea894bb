import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../../../../src/adapters/github/create-github.ts';
import { apiBaseUrl } from '../../../../../src/adapters/github/requests/client.ts';
import type { GitHub } from '../../../../../src/core/step/ports.ts';
import { postedComment } from '../comment-samples.ts';
import { errorOf, HEAD, http, mockEachTest, PRIVATE_KEY, REF, REPO } from '../http-mock.ts';
import { type RawServer, startRawServer } from '../raw-server.ts';

const MEGABYTE = 1024 * 1024;

const servers: RawServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<RawServer> {
  const server = await startRawServer(answer);
  servers.push(server);
  return server;
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function isMinting(request: IncomingMessage): boolean {
  return request.url?.endsWith('/access_tokens') === true;
}

const TOKEN = { token: 'ghs_any', expires_at: '2099-01-01T00:00:00Z', permissions: {} };

/** GitHub that creates tokens; `answer` answers everything else. */
async function githubWith(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<GitHub> {
  const server = await serve((request, response) =>
    isMinting(request) ? json(response, 201, TOKEN) : answer(request, response),
  );
  return clientOf(server);
}

function clientOf({ host }: RawServer): GitHub {
  const baseUrl = apiBaseUrl(host, 'http');
  return createGitHub({ appId: 1, privateKey: PRIVATE_KEY, baseUrl, version: '9.9.9' }).forPull(REF);
}

const PERMISSION = { permission: 'admin', user: { id: 7 } };

describe('a redirect to another host', () => {
  let stranger: RawServer;
  beforeEach(async () => {
    stranger = await serve((_, response) => json(response, 200, { ...PERMISSION, ...TOKEN, data: {} }));
  });

  it.each<[string, (github: GitHub) => Promise<unknown>]>([
    ['a permission', (github) => github.fetchPermission('ana')],
    ['a list', (github) => github.listFiles(HEAD)],
    ['a blob', (github) => github.fetchBlob('b'.repeat(40))],
    ['an archive', (github) => github.fetchArchive(HEAD)],
    ['a comment', (github) => github.createComment('Hi')],
  ])('for %s is a fault, and its answer is never believed (X12)', async (_what, call) => {
    const github = await githubWith((request, response) =>
      json(response, 307, {}, { location: `http://${stranger.host}${request.url}` }),
    );
    expect(await errorOf(call(github))).toMatchObject({
      status: null,
      message: expect.stringContaining('not allowed'),
    });
    expect(stranger.requests).toEqual([]);
  });
});

describe('an archive', () => {
  mockEachTest((mock) => mock.expectReadToken());

  function redirectTo(location: string): void {
    http.as('ghs_read').get(`${REPO}/tarball/${HEAD}`).reply(302, '', { location });
  }

  it('comes from GitHub’s download host, which does not get the token (X12)', async () => {
    redirectTo('https://codeload.github.com/ana/shop/legacy.tar.gz/x?token=y');
    nock('https://codeload.github.com', { badheaders: ['authorization'] })
      .get('/ana/shop/legacy.tar.gz/x?token=y')
      .reply(200, gzipSync(Buffer.alloc(1024)));
    expect(await http.github.fetchArchive(HEAD)).toEqual(new Map());
  });

  it.each(['https://codeload.github.com.example.com/x', 'http://codeload.github.com/x'])(
    'from %s is a fault (X12)',
    async (location) => {
      redirectTo(location);
      expect((await errorOf(http.github.fetchArchive(HEAD))).message).toContain('not allowed');
    },
  );
});

describe('a page in place of data, as of a proxy that wants a login', () => {
  const PAGE = '<!doctype html><title>Sign in</title>';

  it.each<[string, (github: GitHub) => Promise<unknown>]>([
    ['a permission', (github) => github.fetchPermission('ana')],
    ['the pull request', (github) => github.fetchPull()],
    ['an approval', (github) => github.fetchVoteSources([{ surface: 'conversation', commentId: 5 }])],
    ['the settings', (github) => github.fetchSettingsFile()],
    ['a list', (github) => github.listFiles(HEAD)],
    ['a comment', (github) => github.createComment('Hi')],
    ['threads', (github) => github.resolveThread(postedComment(2))],
  ])('for %s is a fault that goes away, and no answer', async (_what, call) => {
    const github = await githubWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(PAGE);
    });
    expect(await errorOf(call(github))).toMatchObject({
      status: null,
      message: "GitHub's response (200) was truncated or is not JSON",
    });
  });
});

it.each<[string, (github: GitHub) => Promise<unknown>]>([
  ['a permission', (github) => github.fetchPermission('ana')],
  ['an approval', (github) => github.fetchVoteSources([{ surface: 'conversation', commentId: 5 }])],
  ['an approval in a thread', (github) => github.fetchVoteSources([{ surface: 'thread', commentId: 5 }])],
  ['an approving review', (github) => github.fetchVoteSources([{ surface: 'review', commentId: 5 }])],
])('data of another kind for %s is a fault, and takes nobody’s right or vote', async (_what, call) => {
  for (const body of [{ message: 'Service unavailable' }, [], 'busy']) {
    const github = await githubWith((_, response) => json(response, 200, body));
    await errorOf(call(github));
  }
});

it.each(['__proto__', 'constructor', 'owner', ''])('a permission that is called “%s” is none', async (permission) => {
  const github = await githubWith((_, response) => json(response, 200, { permission, user: { id: 7 } }));
  expect(await github.fetchPermission('ana')).toEqual({ permission: 'none', userId: 7 });
});

describe('a response of unlimited size', () => {
  const chunk = Buffer.alloc(MEGABYTE, ' ');

  /** Sends this many megabytes, as fast as they are read. */
  function pour(response: ServerResponse, megabytes: number, sent: { megabytes: number }, end = ''): void {
    if (response.destroyed) return;
    if (sent.megabytes === megabytes) return void response.end(end);
    sent.megabytes += 1;
    response.write(chunk, () => pour(response, megabytes, sent, end));
  }

  it('is a fault after 100 MB, and the rest is not read (X19)', async () => {
    const sent = { megabytes: 0 };
    const github = await githubWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      pour(response, 300, sent);
    });
    const fault = await errorOf(github.fetchPermission('ana'));
    expect(fault.status).toBeNull();
    expect(sent.megabytes).toBeLessThan(130);
  });

  it('is not read through compression either (X19)', async () => {
    const bomb = gzipSync(Buffer.alloc(130 * MEGABYTE, ' '), { level: 1 });
    const github = await githubWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(bomb);
    });
    expect((await errorOf(github.fetchPermission('ana'))).status).toBeNull();
  });
});
