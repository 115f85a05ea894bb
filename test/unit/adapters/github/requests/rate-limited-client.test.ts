import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LeaseLostError, RateLimitExceededError, WRITE_TIMEOUT_MS } from '../../../../../src/core/step/ports.ts';
import { type AcquireRequest, READ_COST, WRITE_COST } from '../../../../../src/core/step/rate-limit.ts';
import { errorOf, type HttpMock, mockHttp, NOW, READ_PERMISSIONS, REF, REPO, WRITE_PERMISSIONS } from '../http-mock.ts';

const COMMENT = { id: 5, node_id: 'IC_5', created_at: '2026-11-21T12:00:00Z', html_url: 'https://x/5' };

const RESET = NOW + 1_800_000;

const QUOTA = {
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': '1234',
  'x-ratelimit-reset': String(RESET / 1000),
};

describe('requests to GitHub count for the installation', () => {
  let http: HttpMock;
  let wishes: AcquireRequest[];
  let rests: (readonly [number, number])[];
  let waitUntil: number | null;
  beforeEach(() => {
    [wishes, rests, waitUntil] = [[], [], null];
    const rateLimiter = {
      acquire: async (installationId: number, wish: AcquireRequest) => {
        expect(installationId).toBe(REF.installationId);
        wishes.push(wish);
        return waitUntil;
      },
      pauseUntil: async (installationId: number, until: number) => void rests.push([installationId, until]),
    };
    http = mockHttp({ rateLimiter });
    http.mints(READ_PERMISSIONS, 'ghs_read');
  });
  afterEach(() => http.finish());

  const permission = () => http.as('ghs_read').get(`${REPO}/collaborators/ana/permission`);
  const allowed = { permission: 'write', user: { id: 7 } };

  it('reads and writes, REST and GraphQL, each before it is sent and with its priority (H8)', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    permission().reply(200, allowed);
    http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(201, COMMENT);
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    http
      .as('ghs_write')
      .post('/graphql')
      .reply(200, { data: { addReaction: { reaction: { content: 'EYES' } } } });
    await http.github.fetchPermission('ana');
    await http.githubs.forPull(REF, 'notify').createComment('Hi');
    await http.githubs.forPull(REF, 'act').react({ at: 'review', reviewId: 8 }, 'eyes');
    expect(wishes.map(({ priority, cost }) => [priority, cost])).toEqual([
      ['read', READ_COST],
      ['notify', WRITE_COST],
      ['act', READ_COST],
      ['act', WRITE_COST],
    ]);
  });

  it('a request above the limit is not sent, and the error has the time of the next attempt (H8)', async () => {
    waitUntil = NOW + 5_000;
    const fault = await errorOf(http.github.fetchPermission('ana'));
    expect(fault).toBeInstanceOf(RateLimitExceededError);
    expect(fault.retryAt).toBe(NOW + 5_000);
    expect(rests).toEqual([]);
  });

  it('a write is counted, but not sent if the lease is lost by then (G7)', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    permission().reply(200, allowed);
    const github = http.githubs.forPull(REF, 'act', () => wishes.length === 0);
    await github.fetchPermission('ana');
    expect(await errorOf(github.createComment('Hi'))).toBeInstanceOf(LeaseLostError);
    expect(wishes.map(({ cost }) => cost)).toEqual([READ_COST, WRITE_COST]);
  });

  it('a write times out before its lease can end, a read later (G7)', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    permission().reply(200, allowed);
    http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(201, COMMENT);
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    http
      .as('ghs_write')
      .post('/graphql')
      .reply(200, { data: { addReaction: { reaction: { content: 'EYES' } } } });
    const bounds = vi.spyOn(AbortSignal, 'timeout');
    const bound = async (request: () => Promise<unknown>) => {
      await request();
      return bounds.mock.lastCall;
    };
    expect(await bound(() => http.github.fetchPermission('ana'))).toEqual([15_000]);
    expect(await bound(() => http.github.createComment('Hi'))).toEqual([WRITE_TIMEOUT_MS]);
    expect(await bound(() => http.github.react({ at: 'review', reviewId: 8 }, 'eyes'))).toEqual([WRITE_TIMEOUT_MS]);
    bounds.mockRestore();
  });

  it('the quota follows the last response, also a refusal, and REST and GraphQL have separate ones (H8)', async () => {
    permission().reply(200, allowed, QUOTA);
    permission().reply(502, {}, { ...QUOTA, 'x-ratelimit-remaining': '1200' });
    permission().reply(200, allowed);
    http.as('ghs_read').post('/graphql').reply(502, {});
    await http.github.fetchPermission('ana');
    await errorOf(http.github.fetchPermission('ana'));
    await http.github.fetchPermission('ana');
    await errorOf(http.github.listOutdatedThreads());
    const quota = { limit: 5_000, resetAt: RESET };
    expect(wishes.map((wish) => wish.quota)).toEqual([
      null,
      { ...quota, remaining: 1_234 },
      { ...quota, remaining: 1_200 },
      null,
    ]);
  });

  it.each(['1e300', 'Infinity', `${RESET}`])('a quota until %s ends in an hour at the latest (H8)', async (reset) => {
    permission().reply(200, allowed, { ...QUOTA, 'x-ratelimit-reset': reset });
    permission().reply(200, allowed);
    await http.github.fetchPermission('ana');
    await http.github.fetchPermission('ana');
    expect(wishes.map(({ quota }) => quota?.resetAt)).toEqual([undefined, NOW + 3_600_000]);
  });

  it('a server that names no quota has none (J12)', async () => {
    permission().twice().reply(200, allowed);
    await http.github.fetchPermission('ana');
    await http.github.fetchPermission('ana');
    expect(wishes.map(({ quota }) => quota)).toEqual([null, null]);
  });

  it.each([
    [429, { 'retry-after': '30' }, 'slow', 30_000],
    [403, {}, 'You have exceeded a secondary rate limit.', 60_000],
    [503, { 'retry-after': '5' }, 'busy', 5_000],
    [503, { 'retry-after': '315360000' }, 'busy', 3_600_000],
  ])('a %i with %o pauses the whole installation (H8, H9)', async (status, headers, message, ms) => {
    permission().reply(status, { message }, headers);
    await errorOf(http.github.fetchPermission('ana'));
    expect(rests).toEqual([[REF.installationId, NOW + ms]]);
  });

  it.each([
    [403, 'Repository was archived so is read-only.'],
    [403, 'Resource not accessible by integration'],
    [502, 'Server Error'],
  ])('a %i because of “%s” pauses no other installation', async (status, message) => {
    permission().reply(status, { message });
    await errorOf(http.github.fetchPermission('ana'));
    expect(rests).toEqual([]);
  });
});
