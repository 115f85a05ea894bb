import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeRateLimits, GITHUB_COM_LIMITS } from '../../../../fakes/github/http/server-state.ts';
import { openShop, type Shop, tokenClient, WRITE } from '../shop.ts';

describe('the rate limits of the fake GitHub', () => {
  let shop: Shop;
  let now = Date.UTC(2030, 0, 1);
  beforeEach(async () => {
    shop = await openShop({ now: () => now });
  });
  afterEach(() => shop.github.close());

  function setLimits(rateLimits: FakeRateLimits): void {
    const { apiServer } = shop.github;
    apiServer.replaceServerState({ ...apiServer.serverState(), rateLimits });
  }

  async function createClient() {
    const client = await tokenClient(shop, WRITE);
    const { owner, repo } = shop.pullParams;
    return {
      client,
      read: () => client.rest.pulls.get(shop.pullParams),
      write: () =>
        client.rest.issues.createComment({ owner, repo, issue_number: shop.pullParams.pull_number, body: 'Hi' }),
      query: () => client.graphql('query q { repository(owner: "ana", name: "shop") { id } }'),
    };
  }

  /** Repeats a request until it is refused. `times` is the number of successes. */
  async function repeatUntilRefused(send: () => Promise<unknown>): Promise<{ times: number; error: unknown }> {
    for (let times = 0; ; times += 1) {
      try {
        await send();
      } catch (error) {
        return { times, error };
      }
    }
  }

  it('every response has the remaining quota; GET /rate_limit is free', async () => {
    const { client, read, write } = await createClient();
    const remaining = async (send: () => Promise<{ readonly headers: object }>) =>
      Object(await send()).headers['x-ratelimit-remaining'];
    expect([await remaining(read), await remaining(write)]).toEqual(['4999', '4998']);
    const { data } = await client.rest.rateLimit.get();
    expect(data.rate).toMatchObject({ limit: 5_000, used: 2, remaining: 4_998, reset: now / 1000 + 3_600 });
    now += 3_600_001;
    const later = await createClient();
    expect(await remaining(later.read)).toBe('4999');
  });

  it('REST and GraphQL each refuse until the hour of an exhausted quota ends', async () => {
    setLimits({ requestsPerHour: 3, secondary: null });
    const { read, query } = await createClient();
    const rest = await repeatUntilRefused(read);
    expect(rest).toMatchObject({
      times: 3,
      error: { status: 403, response: { headers: { 'x-ratelimit-remaining': '0' } } },
    });
    const graphql = await repeatUntilRefused(query);
    expect(graphql).toMatchObject({ times: 3, error: { errors: [{ type: 'RATE_LIMITED' }] } });
    expect(shop.github.violations).toEqual([]);
  });

  it('a minute allows 80 writes, and a retry before retry-after is a violation', async () => {
    setLimits(GITHUB_COM_LIMITS);
    const { read, write } = await createClient();
    const first = await repeatUntilRefused(write);
    expect(first).toMatchObject({ times: 80, error: { status: 403, response: { headers: { 'retry-after': '60' } } } });
    expect(shop.github.violations).toEqual([]);
    now += 59_000;
    await expect(read()).rejects.toMatchObject({ status: 403 });
    expect(shop.github.violations).toEqual(['retried 1000 ms before the end of retry-after']);
    now += 60_000;
    expect((await read()).status).toBe(200);
  });

  it('a minute allows 900 points: 1 for a read, 5 for a write', async () => {
    setLimits({ ...GITHUB_COM_LIMITS, secondary: { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 20 } });
    const { read, write } = await createClient();
    await write();
    await write();
    expect((await repeatUntilRefused(read)).times).toBe(10);
  });
});
