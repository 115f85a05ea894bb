import type { GitHubClient } from './client.ts';

/** Minimum and maximum lead of GitHub's clock over ours (ms); both are 0 if the clocks can be equal. */
type ClockSkew = { readonly minMs: number; readonly maxMs: number };

/**
 * Estimates GitHub's clock from the `date` headers of its responses, so that a wrong local clock changes no decision.
 */
type GitHubClock = {
  /** Records the `date` header of a response, with the times of request and response by our clock (ms). */
  readonly record: (date: unknown, sentAt: number, receivedAt: number) => void;
  readonly skew: () => ClockSkew;
};

const NO_SKEW: ClockSkew = { minMs: 0, maxMs: 0 };

/** The `date` header has whole seconds. */
const DATE_PRECISION_MS = 1000;

export function createGitHubClock(): GitHubClock {
  let known: ClockSkew | null = null;
  return {
    record: (date, sentAt, receivedAt) => {
      const serverTime = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      if (!Number.isNaN(serverTime))
        known = narrowSkew(known, { minMs: serverTime - receivedAt, maxMs: serverTime + DATE_PRECISION_MS - sentAt });
    },
    skew: () => (known === null || (known.minMs <= 0 && known.maxMs >= 0) ? NO_SKEW : known),
  };
}

/** The intersection of both ranges. Disjoint ranges mean that a clock was set, so the new one replaces the old one. */
function narrowSkew(known: ClockSkew | null, measured: ClockSkew): ClockSkew {
  if (known === null || measured.minMs > known.maxMs || measured.maxMs < known.minMs) return measured;
  return { minMs: Math.max(known.minMs, measured.minMs), maxMs: Math.min(known.maxMs, measured.maxMs) };
}

/** Records the `date` header of each response of this client. */
export function withClock(client: GitHubClient, clock: GitHubClock, now: () => number): GitHubClient {
  client.hook.wrap('request', async (request, requestOptions) => {
    const sentAt = now();
    const response = await request(requestOptions);
    clock.record(response.headers.date, sentAt, now());
    return response;
  });
  return client;
}
