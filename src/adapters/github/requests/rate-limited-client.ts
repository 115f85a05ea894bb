import { LRUCache } from 'lru-cache';
import { LeaseLostError, RateLimitExceededError, WRITE_TIMEOUT_MS } from '../../../core/step/ports.ts';
import {
  type AcquireRequest,
  type Priority,
  type Quota,
  READ_COST,
  type RequestCost,
  WRITE_COST,
} from '../../../core/step/rate-limit.ts';
import type { GitHubClient } from './client.ts';
import { limitWait, responseHeadersOf, toLocalTime } from './errors.ts';

/** Counts the requests of all processes. */
export type RateLimiter = {
  /** Null if the request can be sent now, else the time (ms) until which its priority is blocked. */
  acquire(installationId: number, request: AcquireRequest): Promise<number | null>;
  /** Stops all requests of the installation until this time (ms). */
  pauseUntil(installationId: number, until: number): Promise<void>;
};

/** The hourly quotas of GitHub's last responses, by installation and resource. */
type QuotaCache = LRUCache<string, Quota>;

export function createQuotaCache(): QuotaCache {
  return new LRUCache({ max: 10_000 });
}

type RateLimitOptions = {
  readonly rateLimiter: RateLimiter;
  readonly quotas: QuotaCache;
  readonly installationId: number;
  readonly priority: Priority;
  readonly now: () => number;
  /** Called immediately before each write; false fails the request with a `LeaseLostError`. */
  readonly canWrite: () => boolean;
};

/** Applies the rate limits to each request, shortens the timeout of writes, and records the quota of each response. */
export function withRateLimit(
  client: GitHubClient,
  { rateLimiter, quotas, installationId, priority, now, canWrite }: RateLimitOptions,
): GitHubClient {
  client.hook.wrap('request', async (request, requestOptions) => {
    const { resource, cost } = meterRequest(requestOptions);
    const key = `${installationId}:${resource}`;
    const waitUntil = await rateLimiter.acquire(installationId, { priority, cost, quota: quotas.get(key) ?? null });
    if (waitUntil !== null) throw new RateLimitExceededError(waitUntil);
    if (cost.writes > 0) {
      if (!canWrite()) throw new LeaseLostError();
      requestOptions.request = { ...requestOptions.request, maxMs: WRITE_TIMEOUT_MS };
    }
    const recordQuota = (headers: QuotaHeaders): void => {
      const quota = readQuota(headers, now());
      if (quota !== null) quotas.set(key, quota);
    };
    try {
      const response = await request(requestOptions);
      recordQuota(response.headers);
      return response;
    } catch (error) {
      recordQuota(responseHeadersOf(error));
      throw error;
    }
  });
  return client;
}

type MeteredRequest = { readonly resource: 'core' | 'graphql'; readonly cost: RequestCost };

function meterRequest(requestOptions: {
  readonly method: string;
  readonly url: string;
  readonly [option: string]: unknown;
}): MeteredRequest {
  const { method, url, query } = requestOptions;
  if (url.endsWith('/graphql') && typeof query === 'string')
    return { resource: 'graphql', cost: query.trimStart().startsWith('mutation') ? WRITE_COST : READ_COST };
  return { resource: 'core', cost: method === 'GET' || method === 'HEAD' ? READ_COST : WRITE_COST };
}

type QuotaHeaders = Readonly<Record<string, unknown>>;

/** Null if the response has no quota. */
function readQuota(headers: QuotaHeaders, now: number): Quota | null {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  );
  if (!(Number(limit) > 0) || !(Number(remaining) >= 0) || !(Number(reset) > 0)) return null;
  const resetAt = limitWait(toLocalTime(Number(reset) * 1000, headers, now), now);
  return { limit: Number(limit), remaining: Number(remaining), resetAt };
}
