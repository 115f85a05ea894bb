import type { Quota, Wish } from '../budget/budget.ts';
import { type Cost, type Rank, READ, WRITE } from '../budget/limits.ts';
import { BudgetSpent, NotOurs, WRITE_TIMEOUT_MS } from '../worker/ports.ts';
import { type BoundedCache, openBoundedCache } from './bounded-cache.ts';
import { byOurClock, headersOf } from './faults.ts';
import type { GitHubClient } from './octokit.ts';

/** What counts requests for all processes. */
export type BudgetKeeper = {
  /** Null where the request may be sent, else until when (ms) its rank has to wait. */
  spend(installationId: number, wish: Wish): Promise<number | null>;
  /** GitHub told the installation to wait until then (ms). */
  rest(installationId: number, until: number): Promise<void>;
};

/** The hourly quotas as GitHub's last answers told of them; REST and GraphQL have one each. */
export type Quotas = BoundedCache<Quota>;

export function openQuotas(): Quotas {
  return openBoundedCache<Quota>(10_000, () => 1);
}

export type MeterOptions = {
  readonly keeper: BudgetKeeper;
  readonly quotas: Quotas;
  readonly installationId: number;
  readonly rank: Rank;
  readonly now: () => number;
  /** Asked right before each request that writes, when all that was stored before is on disk. */
  readonly mayWrite: () => boolean;
};

/**
 * Lets this client send only what the installation's budget allows, bounds what writes, and hears what each answer says of
 * the quota.
 */
export function metered(
  client: GitHubClient,
  { keeper, quotas, installationId, rank, now, mayWrite }: MeterOptions,
): GitHubClient {
  client.hook.wrap('request', async (request, given) => {
    const { resource, cost } = read(given);
    const key = `${installationId}:${resource}`;
    const waitUntil = await keeper.spend(installationId, { rank, cost, quota: quotas.get(key) ?? null });
    if (waitUntil !== null) throw new BudgetSpent(waitUntil);
    if (cost.writes > 0) {
      if (!mayWrite()) throw new NotOurs();
      given.request = { ...given.request, mostMs: WRITE_TIMEOUT_MS };
    }
    const hear = (headers: Headers): void => {
      const quota = quotaIn(headers, now());
      if (quota !== null) quotas.set(key, quota);
    };
    try {
      const response = await request(given);
      hear(response.headers);
      return response;
    } catch (error) {
      hear(headersOf(error));
      throw error;
    }
  });
  return client;
}

type Headers = Readonly<Record<string, unknown>>;
type Asked = { readonly resource: 'core' | 'graphql'; readonly cost: Cost };

function read(given: { readonly method: string; readonly url: string; readonly [more: string]: unknown }): Asked {
  const { method, url, query } = given;
  if (url.endsWith('/graphql') && typeof query === 'string')
    return { resource: 'graphql', cost: query.trimStart().startsWith('mutation') ? WRITE : READ };
  return { resource: 'core', cost: method === 'GET' || method === 'HEAD' ? READ : WRITE };
}

/** Null where the server names none. */
function quotaIn(headers: Headers, now: number): Quota | null {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  );
  if (!(Number(limit) > 0) || !(Number(remaining) >= 0) || !(Number(reset) > 0)) return null;
  const resetAt = byOurClock(Number(reset) * 1000, headers, now);
  return { limit: Number(limit), remaining: Number(remaining), resetAt };
}
