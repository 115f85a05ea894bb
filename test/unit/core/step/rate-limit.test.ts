import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acquire,
  GITHUB_RATE_LIMITS,
  PRIORITY_SHARES,
  type Priority,
  pauseUntil,
  type Quota,
  type RateLimitState,
  READ_COST,
  rateLimitsFor,
  WRITE_COST,
} from '../../../../src/core/step/rate-limit.ts';

const UNUSED_RATE_LIMITS: RateLimitState = { used: {}, blockedUntil: { read: 0, act: 0, notify: 0 } };

const START = Date.UTC(2030, 0, 1);

const HOUR = 3_600_000;

/** Sends as many writes as possible at once. */
function burst(
  state: RateLimitState,
  priority: Priority,
  now: number,
): { state: RateLimitState; sent: number; until: number } {
  for (let sent = 0; ; sent += 1) {
    const { state: next, waitUntil } = acquire(
      state,
      { priority, cost: WRITE_COST, quota: null },
      GITHUB_RATE_LIMITS,
      now,
    );
    if (waitUntil !== null) return { state: next, sent, until: waitUntil };
    state = next;
  }
}

describe('the rate limits of an installation', () => {
  it('no minute and no hour exceeds GitHub’s limits, for any requests and network delays (H8)', () => {
    const requests = fc.array(
      fc.record({
        pause: fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(90_000)),
        late: fc.nat(5_000),
        priority: fc.constantFrom<Priority>('read', 'act', 'notify'),
        writes: fc.boolean(),
        burst: fc.integer({ min: 1, max: 120 }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(requests, (all) => {
        let state = UNUSED_RATE_LIMITS;
        let now = START;
        const arrived: { readonly at: number; readonly writes: number; readonly points: number }[] = [];
        for (const { pause, late, priority, writes, burst: times } of all) {
          now += pause;
          const cost = writes ? WRITE_COST : READ_COST;
          for (let count = 0; count < times; count += 1) {
            const result = acquire(state, { priority, cost, quota: null }, GITHUB_RATE_LIMITS, now);
            state = result.state;
            if (result.waitUntil === null) arrived.push({ at: now + late, ...cost });
          }
        }
        for (const { unit, max, windowMs } of GITHUB_RATE_LIMITS)
          for (const { at: end } of arrived) {
            const within = arrived.filter(({ at }) => at > end - windowMs && at <= end);
            expect(within.reduce((sum, cost) => sum + cost[unit], 0)).toBeLessThanOrEqual(max);
          }
      }),
      { numRuns: 60 },
    );
  });

  it('notifications leave a share for actions, and both leave a share for reads', () => {
    const notified = burst(UNUSED_RATE_LIMITS, 'notify', START);
    expect(notified.sent).toBe(56);
    const acted = burst(notified.state, 'act', START);
    expect(notified.sent + acted.sent).toBe(72);
    const { waitUntil } = acquire(
      acted.state,
      { priority: 'read', cost: READ_COST, quota: null },
      GITHUB_RATE_LIMITS,
      START,
    );
    expect(waitUntil).toBeNull();
  });

  it('a request can be sent at the returned time, and its whole priority is blocked until then', () => {
    const { state, until } = burst(UNUSED_RATE_LIMITS, 'notify', START);
    expect(until - START).toBeLessThanOrEqual(75_000);
    const request = { priority: 'notify', cost: READ_COST, quota: null } as const;
    expect(acquire(state, request, GITHUB_RATE_LIMITS, until - 1).waitUntil).toBe(until);
    expect(burst(state, 'notify', until).sent).toBeGreaterThan(0);
  });

  it('an hour of continuous writing uses exactly the priority’s share of the hourly limit', () => {
    let [state, now, sent] = [UNUSED_RATE_LIMITS, START, 0];
    while (now < START + HOUR) {
      const some = burst(state, 'notify', now);
      [state, now, sent] = [some.state, some.until, sent + some.sent];
    }
    expect(sent).toBe(500 * PRIORITY_SHARES.notify);
  });

  it('a pause blocks its priority and all lower ones, and is never shortened (H9, G16)', () => {
    const resting = pauseUntil(pauseUntil(UNUSED_RATE_LIMITS, 'act', START + 100), 'act', START + 50);
    const asks = (priority: Priority, now: number) =>
      acquire(resting, { priority, cost: READ_COST, quota: null }, GITHUB_RATE_LIMITS, now).waitUntil;
    expect(asks('read', START)).toBeNull();
    expect(asks('act', START)).toBe(START + 100);
    expect(asks('notify', START)).toBe(START + 100);
    expect(asks('notify', START + 100)).toBeNull();
  });

  it('the hourly quota is the one that GitHub reports, and lower priorities pause earlier', () => {
    const asks = (priority: Priority, remaining: number, now = START) => {
      const quota: Quota = { limit: 5_000, remaining, resetAt: START + HOUR };
      return acquire(UNUSED_RATE_LIMITS, { priority, cost: READ_COST, quota }, [], now).waitUntil;
    };
    expect(asks('notify', 1_501)).toBeNull();
    expect(asks('notify', 1_500)).toBe(START + HOUR);
    expect(asks('act', 501)).toBeNull();
    expect(asks('act', 500)).toBe(START + HOUR);
    expect(asks('read', 1)).toBeNull();
    expect(asks('read', 0)).toBe(START + HOUR);
    expect(asks('read', 0, START + HOUR)).toBeNull();
  });

  it('an Enterprise Server has only the limits that it reports (J12)', () => {
    expect(rateLimitsFor('github.com')).toBe(GITHUB_RATE_LIMITS);
    expect(rateLimitsFor('octo.ghe.com')).toBe(GITHUB_RATE_LIMITS);
    expect(rateLimitsFor('github.example.com')).toEqual([]);
  });
});
