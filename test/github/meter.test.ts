import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Wish } from '../../src/budget/budget.ts';
import { READ, WRITE } from '../../src/budget/limits.ts';
import { BudgetSpent, NotOurs, WRITE_TIMEOUT_MS } from '../../src/worker/ports.ts';
import { faultOf, type HttpMock, mockHttp, NOW, READ_PERMISSIONS, REF, REPO, WRITE_PERMISSIONS } from './http-mock.ts';

const COMMENT = { id: 5, node_id: 'IC_5', created_at: '2026-11-21T12:00:00Z', html_url: 'https://x/5' };
const RESET = NOW + 1_800_000;
const QUOTA = {
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': '1234',
  'x-ratelimit-reset': String(RESET / 1000),
};

describe('what is asked of GitHub is counted for the installation', () => {
  let http: HttpMock;
  let wishes: Wish[];
  let rests: (readonly [number, number])[];
  let waitUntil: number | null;
  beforeEach(() => {
    [wishes, rests, waitUntil] = [[], [], null];
    const budget = {
      spend: async (installationId: number, wish: Wish) => {
        expect(installationId).toBe(REF.installationId);
        wishes.push(wish);
        return waitUntil;
      },
      rest: async (installationId: number, until: number) => void rests.push([installationId, until]),
    };
    http = mockHttp({ budget });
    http.mints(READ_PERMISSIONS, 'ghs_read');
  });
  afterEach(() => http.finish());

  const permission = () => http.as('ghs_read').get(`${REPO}/collaborators/ana/permission`);
  const allowed = { permission: 'write', user: { id: 7 } };

  it('H8: reads and writes, REST and GraphQL, each before it is sent and for its rank', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    permission().reply(200, allowed);
    http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(201, COMMENT);
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    http
      .as('ghs_write')
      .post('/graphql')
      .reply(200, { data: { addReaction: { reaction: { content: 'EYES' } } } });
    await http.github.permission('ana');
    await http.githubs.for(REF, 'tell').createComment('Hi');
    await http.githubs.for(REF, 'act').react({ at: 'review', reviewId: 8 }, 'eyes');
    expect(wishes.map(({ rank, cost }) => [rank, cost])).toEqual([
      ['hear', READ],
      ['tell', WRITE],
      ['act', READ],
      ['act', WRITE],
    ]);
  });

  it('H8: what the budget does not allow is not sent, and says when it may be', async () => {
    waitUntil = NOW + 5_000;
    const fault = await faultOf(http.github.permission('ana'));
    expect(fault).toBeInstanceOf(BudgetSpent);
    expect(fault.retryAt).toBe(NOW + 5_000);
    expect(rests).toEqual([]);
  });

  it('G7: a request that writes is counted, and not sent where it may not be written by then', async () => {
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    permission().reply(200, allowed);
    const github = http.githubs.for(REF, 'act', () => wishes.length === 0);
    await github.permission('ana');
    expect(await faultOf(github.createComment('Hi'))).toBeInstanceOf(NotOurs);
    expect(wishes.map(({ cost }) => cost)).toEqual([READ, WRITE]);
  });

  it('G7: a request that writes is given up before its lease can be over, one that reads later', async () => {
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
    expect(await bound(() => http.github.permission('ana'))).toEqual([15_000]);
    expect(await bound(() => http.github.createComment('Hi'))).toEqual([WRITE_TIMEOUT_MS]);
    expect(await bound(() => http.github.react({ at: 'review', reviewId: 8 }, 'eyes'))).toEqual([WRITE_TIMEOUT_MS]);
    bounds.mockRestore();
  });

  it('H8: the quota is what the last answer says, a refusal too, and each of REST and GraphQL has its own', async () => {
    permission().reply(200, allowed, QUOTA);
    permission().reply(502, {}, { ...QUOTA, 'x-ratelimit-remaining': '1200' });
    permission().reply(200, allowed);
    http.as('ghs_read').post('/graphql').reply(502, {});
    await http.github.permission('ana');
    await faultOf(http.github.permission('ana'));
    await http.github.permission('ana');
    await faultOf(http.github.outdatedThreads());
    const quota = { limit: 5_000, resetAt: RESET };
    expect(wishes.map((wish) => wish.quota)).toEqual([
      null,
      { ...quota, remaining: 1_234 },
      { ...quota, remaining: 1_200 },
      null,
    ]);
  });

  it('J12: a server that names no quota has none', async () => {
    permission().twice().reply(200, allowed);
    await http.github.permission('ana');
    await http.github.permission('ana');
    expect(wishes.map(({ quota }) => quota)).toEqual([null, null]);
  });

  it.each([
    [429, { 'retry-after': '30' }, 'slow', 30_000],
    [403, {}, 'You have exceeded a secondary rate limit.', 60_000],
    [503, { 'retry-after': '5' }, 'busy', 5_000],
  ])('H8, H9: a %i with %o holds the whole installation', async (status, headers, message, ms) => {
    permission().reply(status, { message }, headers);
    await faultOf(http.github.permission('ana'));
    expect(rests).toEqual([[REF.installationId, NOW + ms]]);
  });

  it.each([
    [403, 'Repository was archived so is read-only.'],
    [403, 'Resource not accessible by integration'],
    [502, 'Server Error'],
  ])('a %i because “%s” holds nobody else', async (status, message) => {
    permission().reply(status, { message });
    await faultOf(http.github.permission('ana'));
    expect(rests).toEqual([]);
  });
});
