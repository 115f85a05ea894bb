import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { Probot } from 'probot';
import { afterEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../../../../src/adapters/github/create-github.ts';
import { apiBaseUrl, CountersignOctokit } from '../../../../../src/adapters/github/requests/client.ts';
import type { GitHub } from '../../../../../src/core/step/ports.ts';
import { asProbotOctokit } from '../../../../../src/lib/trust.ts';
import { isPermanent } from '../../../../../src/worker/jobs/retries.ts';
import { postedComment } from '../comment-samples.ts';
import {
  errorOf,
  http,
  mockEachTest,
  mockHttp,
  NOW,
  PRIVATE_KEY,
  READ_PERMISSIONS,
  REF,
  REPO,
  WRITE_PERMISSIONS,
} from '../http-mock.ts';
import { type RawServer, startRawServer } from '../raw-server.ts';

const COMMENT = { id: 5, node_id: 'IC_5', created_at: '2026-11-21T12:00:00Z', html_url: 'https://x/5' };

describe('an account on GHE.com', () => {
  it('has a host of its own for REST and GraphQL', async () => {
    const baseUrl = apiBaseUrl('acme.ghe.com', 'https');
    expect(baseUrl).toBe('https://api.acme.ghe.com');
    const http = mockHttp({ baseUrl });
    http.expectReadToken();
    const reviewThreads = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
    http
      .as('ghs_read')
      .post('/graphql')
      .reply(200, { data: { repository: { pullRequest: { reviewThreads } } } });
    await http.github.resolveThread(postedComment(2));
    http.finish();
  });
});

describe('tokens', () => {
  mockEachTest();

  it('reads with a read-only token for this repository alone, minted once (I7, I8)', async () => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    http
      .as('ghs_read')
      .get(`${REPO}/collaborators/ana/permission`)
      .twice()
      .reply(200, { permission: 'write', user: { id: 7 } });
    await http.github.fetchPermission('ana');
    await http.githubs.forPull(REF).fetchPermission('ana');
  });

  it('mints the write token for the write, and only then (I8)', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    http.as('ghs_write').post(`${REPO}/issues/3/comments`, { body: 'Hi' }).reply(201, COMMENT);
    await http.github.createComment('Hi');
  });

  it('an expired token is replaced once, and the refused write is sent again (I9)', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_old');
    http.as('ghs_old').post(`${REPO}/issues/3/comments`).reply(201, COMMENT);
    await http.github.createComment('Ho');
    http.clock.now += 3_600_000;
    http.as('ghs_old').post(`${REPO}/issues/3/comments`).reply(401, { message: 'Bad credentials' });
    http.mints(WRITE_PERMISSIONS, 'ghs_new');
    http.as('ghs_new').post(`${REPO}/issues/3/comments`, { body: 'Hi' }).reply(201, COMMENT);
    expect((await http.github.createComment('Hi')).id).toBe(5);
  });

  it.each([
    [401, 'Bad credentials'],
    [403, 'Resource not accessible by integration'],
  ])('a %i for a token of some seconds waits for this token, and later it is final (R1)', async (status, message) => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    const ask = () => http.github.fetchVoteSources([{ surface: 'conversation', commentId: 5 }]);
    const refuses = (token: string) => http.as(token).get(`${REPO}/issues/comments/5`).reply(status, { message });
    for (const age of [0, 14_999]) {
      http.clock.now = NOW + age;
      refuses('ghs_read');
      const fault = await errorOf(ask());
      expect([fault.status, fault.retryAt, isPermanent(fault)]).toEqual([status, NOW + age + 3_000, false]);
    }
    http.clock.now = NOW + 15_000;
    refuses('ghs_read');
    // A new token takes the place of one that GitHub does not know any more, and is young again.
    if (status === 401) http.mints(READ_PERMISSIONS, 'ghs_new');
    if (status === 401) refuses('ghs_new');
    expect((await errorOf(ask())).retryAt).toBe(status === 401 ? NOW + 18_000 : null);
  });

  it('an error has GitHub’s id of the request, unless it has an unknown form (O12)', async () => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    for (const id of ['0A1B:2C3D:4E5F', 'x\ny'.repeat(50)])
      http
        .as('ghs_read')
        .get(`${REPO}/collaborators/bob/permission`)
        .reply(502, {}, { 'x-github-request-id': id.replaceAll('\n', ' ') });
    const ask = () => http.github.fetchPermission('bob');
    const errors = [await errorOf(ask()), await errorOf(ask())];
    expect(errors.map(({ requestId }) => requestId)).toEqual(['0A1B:2C3D:4E5F', null]);
  });

  it('requests for a suspended installation are tried again after a minute, and never abandoned for that (F16, R11)', async () => {
    const words = { message: 'This installation has been suspended' };
    http.plain().post('/app/installations/11/access_tokens').reply(403, words);
    const fault = await errorOf(http.github.fetchPull());
    expect([fault.status, fault.retryAt, isPermanent(fault)]).toEqual([403, NOW + 60_000, false]);
  });

  it.each([
    [403, 'Unable to create comment because issue is locked.'],
    [422, 'Validation Failed: lock prevents review'],
  ])(
    'a %i because of “%s” is retried rarely, because the conversation can be unlocked (F13)',
    async (status, message) => {
      http.mints(WRITE_PERMISSIONS, 'ghs_write');
      http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(status, { message });
      const fault = await errorOf(http.github.createComment('Hi'));
      expect([fault.status, fault.retryAt, isPermanent(fault)]).toEqual([status, NOW + 10 * 60_000, false]);
    },
  );

  it('loads the App’s identity once, and again after a failure', async () => {
    http.plain().get('/app').reply(502, 'bad gateway');
    expect((await errorOf(http.githubs.identity())).status).toBe(502);
    http.introduces();
    const expected = { slug: 'countersign', botId: 4711, owner: 'ana' };
    expect(await http.githubs.identity()).toEqual(expected);
    expect(await http.githubs.identity()).toEqual(expected);
  });

  it('looks up its bot account with a token if anonymous requests are refused', async () => {
    http
      .plain()
      .get('/app')
      .reply(200, { slug: 'countersign', owner: { login: 'ana' } });
    http.plain().get('/users/countersign%5Bbot%5D').reply(403, { message: 'API rate limit exceeded' });
    http
      .plain()
      .get('/app/installations?per_page=1')
      .reply(200, [{ id: 99 }]);
    http
      .plain()
      .post('/app/installations/99/access_tokens', { permissions: { metadata: 'read' } })
      .reply(201, { token: 'ghs_any', expires_at: '2026-11-21T13:00:00Z', permissions: { metadata: 'read' } });
    http.as('ghs_any').get('/users/countersign%5Bbot%5D').reply(200, { id: 4711 });
    expect((await http.githubs.identity()).botId).toBe(4711);
  });
});

type Limit = readonly [string, number, Record<string, string>, string, number | null];

const RESET = NOW + 1_800_000;

const LIMITS: readonly Limit[] = [
  ['retry-after in seconds', 403, { 'retry-after': '30' }, 'You have exceeded a secondary rate limit', NOW + 30_000],
  ['retry-after as a date', 429, { 'retry-after': new Date(NOW + 9000).toUTCString() }, 'slow', NOW + 9000],
  ['an empty budget', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${RESET / 1000}` }, 'no', RESET],
  ['a secondary limit without a time', 403, {}, 'You have exceeded a secondary rate limit.', NOW + 60_000],
  ['an archived repository (F16)', 403, {}, 'Repository was archived so is read-only.', NOW + 600_000],
  ['429 without a time', 429, {}, 'Too many', NOW + 60_000],
  ['a retry-after with a fraction', 503, { 'retry-after': '1.2345' }, 'busy', NOW + 1235],
  [
    'the primary limit, by a clock of microseconds',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${RESET / 1000}.000123` },
    'API rate limit exceeded',
    RESET + 1,
  ],
  ['503 with retry-after', 503, { 'retry-after': '5' }, 'busy', NOW + 5000],
  ['a retry-after of ten years', 503, { 'retry-after': '315360000' }, 'busy', NOW + 3_600_000],
  ['a retry-after with a hundred digits', 503, { 'retry-after': '9'.repeat(100) }, 'busy', NOW + 3_600_000],
  ['a retry-after in 2036', 503, { 'retry-after': 'Fri, 21 Nov 2036 12:00:00 GMT' }, 'busy', NOW + 3_600_000],
  [
    'an empty budget until the end of times',
    429,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1e300' },
    'no',
    NOW + 3_600_000,
  ],
  [
    'no permission yet',
    403,
    { 'x-ratelimit-remaining': '4000' },
    'Resource not accessible by integration',
    NOW + 3_000,
  ],
  ['a broken GitHub', 502, {}, 'Server Error', null],
  ['a conflict', 409, {}, 'Conflict', null],
];

describe('one request, one error (M7)', () => {
  mockEachTest((mock) => mock.expectWriteToken());

  it.each(LIMITS)('%s', async (_, status, headers, message, retryAt) => {
    http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(status, { message }, headers);
    const fault = await errorOf(http.github.createComment('Hi'));
    expect([fault.status, fault.retryAt]).toEqual([status, retryAt]);
    expect(fault.message).toContain(message);
  });

  it('a GraphQL rate limit in a 200 response is recognized', async () => {
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${RESET / 1000}` };
    http.mints(READ_PERMISSIONS, 'ghs_read');
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    http.as('ghs_write').post('/graphql').reply(200, { data: null, errors }, headers);
    const fault = await errorOf(http.github.react({ at: 'review', reviewId: 8 }, 'eyes'));
    expect([fault.status, fault.retryAt]).toEqual([429, RESET]);
  });

  it('an error contains neither token nor request (I2)', async () => {
    http
      .as('ghs_write')
      .post(`${REPO}/issues/3/comments`)
      .reply(422, { message: 'no', errors: [{ message: 'why' }] });
    const fault = await errorOf(http.github.createComment('a-secret-body'));
    expect(fault.message).toContain('no: why');
    expect(inspect(fault, { depth: 9, showHidden: true })).not.toMatch(/ghs_|a-secret-body|authorization/i);
  });
});

describe('failures below HTTP', () => {
  const servers: RawServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  /** Answers token requests normally, and all others as given. */
  async function broken(
    answer: (response: ServerResponse, request: IncomingMessage) => void,
  ): Promise<{ github: GitHub; asked: () => readonly string[] }> {
    const server = await startRawServer((request, response) => {
      if (!request.url?.endsWith('/access_tokens')) return answer(response, request);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ token: 'ghs_x', expires_at: '2026-11-21T13:00:00Z', permissions: {} }));
    });
    servers.push(server);
    const baseUrl = apiBaseUrl(server.host, 'http');
    const githubs = createGitHub({ appId: 1, privateKey: PRIVATE_KEY, baseUrl, version: '9.9.9', timeoutMs: 1_000 });
    return {
      github: githubs.forPull(REF),
      asked: () => server.requests.filter((line) => !line.includes('access_tokens')),
    };
  }

  it('a timeout is an error of unknown outcome, and the request is sent once (M20)', async () => {
    const { github, asked } = await broken(() => {});
    const fault = await errorOf(github.createComment('Hi'));
    expect([fault.status, fault.retryAt]).toEqual([null, null]);
    expect(asked()).toEqual([`POST /api/v3${REPO}/issues/3/comments`]);
  });

  it('a body that never ends times out too (M20)', async () => {
    const { github } = await broken((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"permission":');
    });
    expect((await errorOf(github.fetchPermission('ana'))).status).toBeNull();
  });

  it('a reset is an error of unknown outcome, and the request is sent once (G3)', async () => {
    const { github, asked } = await broken((response) => response.destroy());
    expect((await errorOf(github.createComment('Hi'))).status).toBeNull();
    expect(asked()).toHaveLength(1);
  });

  it('calls an Enterprise Server at /api/v3 and /api/graphql, with user agent and API version', async () => {
    const headers: IncomingMessage['headers'][] = [];
    const { github, asked } = await broken((response, request) => {
      headers.push(request.headers);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url?.endsWith('graphql') ? { data: {} } : { node_id: 'PRR_8' }));
    });
    await github.react({ at: 'review', reviewId: 8 }, 'eyes');
    expect(asked()).toEqual([`GET /api/v3${REPO}/pulls/3/reviews/8`, 'POST /api/graphql']);
    for (const sent of headers) {
      expect(sent['user-agent']).toMatch(/^countersign\/9\.9\.9 /);
      expect(sent['x-github-api-version']).toBe('2022-11-28');
    }
  });
});

it('Probot accepts this Octokit, and a failing write is sent once (M7)', async () => {
  const server = await startRawServer((request, response) => {
    const minting = request.url?.endsWith('/access_tokens') === true;
    response.writeHead(minting ? 201 : 502, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(minting ? { token: 'ghs_probot', expires_at: '2099-01-01T00:00:00Z', permissions: {} } : {}),
    );
  });
  const OwnProbot = Probot.defaults({ Octokit: asProbotOctokit(CountersignOctokit), logLevel: 'fatal' });
  const probot = new OwnProbot({
    appId: 1,
    privateKey: PRIVATE_KEY,
    secret: 'a-long-enough-secret',
    baseUrl: apiBaseUrl(server.host, 'http'),
  });
  const octokit = await probot.auth(11);
  const failure: unknown = await octokit
    .request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner: 'ana',
      repo: 'shop',
      issue_number: 3,
      body: 'Hi',
    })
    .catch((error: unknown) => error);
  await server.close();
  expect(failure).toMatchObject({ status: 502 });
  expect(server.requests.filter((line) => line.endsWith('/comments'))).toHaveLength(1);
});
