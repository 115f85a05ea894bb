import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GITHUB_COM_LIMITS, type GrantedLimits } from '../../src/simulator/http/usage.ts';
import { openShop, type Shop, tokenClient, WRITE } from './shop.ts';

describe('the simulated GitHub’s limits', () => {
  let shop: Shop;
  let now = Date.UTC(2030, 0, 1);
  beforeEach(async () => {
    shop = await openShop({ now: () => now });
  });
  afterEach(() => shop.simulator.close());

  function grant(limits: GrantedLimits): void {
    const { gateway } = shop.simulator;
    gateway.replaceState({ ...gateway.state(), limits });
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

  /** How often it is answered before it is refused. */
  async function until(refused: () => Promise<unknown>): Promise<{ times: number; error: unknown }> {
    for (let times = 0; ; times += 1) {
      try {
        await refused();
      } catch (error) {
        return { times, error };
      }
    }
  }

  it('every answer says what is left of the hour; asking for that costs nothing', async () => {
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

  it('an hour that is used up is refused until it is over, in REST and GraphQL each in its own way', async () => {
    grant({ requestsPerHour: 3, secondary: null });
    const { reads, queries } = await clientOf();
    const rest = await until(reads);
    expect(rest).toMatchObject({
      times: 3,
      error: { status: 403, response: { headers: { 'x-ratelimit-remaining': '0' } } },
    });
    const graphql = await until(queries);
    expect(graphql).toMatchObject({ times: 3, error: { errors: [{ type: 'RATE_LIMITED' }] } });
    expect(shop.simulator.violations).toEqual([]);
  });

  it('a minute takes eighty writes, and whoever comes again too early has not listened', async () => {
    grant(GITHUB_COM_LIMITS);
    const { reads, writes } = await clientOf();
    const first = await until(writes);
    expect(first).toMatchObject({ times: 80, error: { status: 403, response: { headers: { 'retry-after': '60' } } } });
    expect(shop.simulator.violations).toEqual([]);
    now += 59_000;
    await expect(reads()).rejects.toMatchObject({ status: 403 });
    expect(shop.simulator.violations).toEqual(['asked 1000 ms before GitHub said']);
    now += 60_000;
    expect((await reads()).status).toBe(200);
  });

  it('a minute takes nine hundred points: a read is one, a write five', async () => {
    grant({ ...GITHUB_COM_LIMITS, secondary: { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 20 } });
    const { reads, writes } = await clientOf();
    await writes();
    await writes();
    expect((await until(reads)).times).toBe(10);
  });
});
