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

  function grant(rateLimits: FakeRateLimits): void {
    const { apiServer } = shop.github;
    apiServer.replaceServerState({ ...apiServer.serverState(), rateLimits });
  }

  async function clientOf() {
    const client = await tokenClient(shop, WRITE);
    const { owner, repo } = shop.place;
    return {
      client,
      reads: () => client.rest.pulls.get(shop.place),
      writes: () => client.rest.issues.createComment({ owner, repo, issue_number: shop.place.pull_number, body: 'Hi' }),
      queries: () => client.graphql('query q { repository(owner: "ana", name: "shop") { id } }'),
    };
  }

  /** Counts the requests before the first refusal. */
  async function until(refused: () => Promise<unknown>): Promise<{ times: number; error: unknown }> {
    for (let times = 0; ; times += 1) {
      try {
        await refused();
      } catch (error) {
        return { times, error };
      }
    }
  }

  it('every response has the remaining quota; GET /rate_limit is free', async () => {
    const { client, reads, writes } = await clientOf();
    const left = async (asks: () => Promise<{ readonly headers: object }>) =>
      Object(await asks()).headers['x-ratelimit-remaining'];
    expect([await left(reads), await left(writes)]).toEqual(['4999', '4998']);
    const { data } = await client.rest.rateLimit.get();
    expect(data.rate).toMatchObject({ limit: 5_000, used: 2, remaining: 4_998, reset: now / 1000 + 3_600 });
    now += 3_600_001;
    const later = await clientOf();
    expect(await left(later.reads)).toBe('4999');
  });

  it('REST and GraphQL each refuse until the hour of an exhausted quota ends', async () => {
    grant({ requestsPerHour: 3, secondary: null });
    const { reads, queries } = await clientOf();
    const rest = await until(reads);
    expect(rest).toMatchObject({
      times: 3,
      error: { status: 403, response: { headers: { 'x-ratelimit-remaining': '0' } } },
    });
    const graphql = await until(queries);
    expect(graphql).toMatchObject({ times: 3, error: { errors: [{ type: 'RATE_LIMITED' }] } });
    expect(shop.github.violations).toEqual([]);
  });

  it('a minute allows 80 writes, and a retry before retry-after is a violation', async () => {
    grant(GITHUB_COM_LIMITS);
    const { reads, writes } = await clientOf();
    const first = await until(writes);
    expect(first).toMatchObject({ times: 80, error: { status: 403, response: { headers: { 'retry-after': '60' } } } });
    expect(shop.github.violations).toEqual([]);
    now += 59_000;
    await expect(reads()).rejects.toMatchObject({ status: 403 });
    expect(shop.github.violations).toEqual(['retried 1000 ms before the end of retry-after']);
    now += 60_000;
    expect((await reads()).status).toBe(200);
  });

  it('a minute allows 900 points: 1 for a read, 5 for a write', async () => {
    grant({ ...GITHUB_COM_LIMITS, secondary: { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 20 } });
    const { reads, writes } = await clientOf();
    await writes();
    await writes();
    expect((await until(reads)).times).toBe(10);
  });
});
