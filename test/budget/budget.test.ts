import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, type Quota, rest, spend, UNSPENT } from '../../src/budget/budget.ts';
import { GITHUB_LIMITS, limitsOf, type Rank, READ, SHARES, WRITE } from '../../src/budget/limits.ts';

const START = Date.UTC(2030, 0, 1);
const HOUR = 3_600_000;

/** Sends as many writes as it may, at once. */
function burst(budget: Budget, rank: Rank, now: number): { budget: Budget; sent: number; until: number } {
  for (let sent = 0; ; sent += 1) {
    const { budget: next, waitUntil } = spend(budget, { rank, cost: WRITE, quota: null }, GITHUB_LIMITS, now);
    if (waitUntil !== null) return { budget: next, sent, until: waitUntil };
    budget = next;
  }
}

describe('the budget of an installation', () => {
  it('H8: whatever is asked for and however late it arrives, no minute and no hour holds more than GitHub grants', () => {
    const wishes = fc.array(
      fc.record({
        pause: fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(90_000)),
        late: fc.nat(5_000),
        rank: fc.constantFrom<Rank>('hear', 'act', 'tell'),
        writes: fc.boolean(),
        burst: fc.integer({ min: 1, max: 120 }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(wishes, (all) => {
        let budget = UNSPENT;
        let now = START;
        const arrived: { readonly at: number; readonly writes: number; readonly points: number }[] = [];
        for (const { pause, late, rank, writes, burst: times } of all) {
          now += pause;
          const cost = writes ? WRITE : READ;
          for (let count = 0; count < times; count += 1) {
            const result = spend(budget, { rank, cost, quota: null }, GITHUB_LIMITS, now);
            budget = result.budget;
            if (result.waitUntil === null) arrived.push({ at: now + late, ...cost });
          }
        }
        for (const { unit, most, spanMs } of GITHUB_LIMITS)
          for (const { at: end } of arrived) {
            const within = arrived.filter(({ at }) => at > end - spanMs && at <= end);
            expect(within.reduce((sum, cost) => sum + cost[unit], 0)).toBeLessThanOrEqual(most);
          }
      }),
      { numRuns: 60 },
    );
  });

  it('what only tells leaves room for what acts, and both leave room for what is heard', () => {
    const told = burst(UNSPENT, 'tell', START);
    expect(told.sent).toBe(56);
    const acted = burst(told.budget, 'act', START);
    expect(told.sent + acted.sent).toBe(72);
    const { waitUntil } = spend(acted.budget, { rank: 'hear', cost: READ, quota: null }, GITHUB_LIMITS, START);
    expect(waitUntil).toBeNull();
  });

  it('whoever waits until the time that it names may go on then, and everybody of that rank until then waits too', () => {
    const { budget, until } = burst(UNSPENT, 'tell', START);
    expect(until - START).toBeLessThanOrEqual(75_000);
    const wish = { rank: 'tell', cost: READ, quota: null } as const;
    expect(spend(budget, wish, GITHUB_LIMITS, until - 1).waitUntil).toBe(until);
    expect(burst(budget, 'tell', until).sent).toBeGreaterThan(0);
  });

  it('an hour of writing without a pause comes to the share of what an hour grants', () => {
    let [budget, now, sent] = [UNSPENT, START, 0];
    while (now < START + HOUR) {
      const some = burst(budget, 'tell', now);
      [budget, now, sent] = [some.budget, some.until, sent + some.sent];
    }
    expect(sent).toBe(500 * SHARES.tell);
  });

  it('H9, G16: a rest holds its rank and those behind it, and is never cut short', () => {
    const resting = rest(rest(UNSPENT, 'act', START + 100), 'act', START + 50);
    const asks = (rank: Rank, now: number) =>
      spend(resting, { rank, cost: READ, quota: null }, GITHUB_LIMITS, now).waitUntil;
    expect(asks('hear', START)).toBeNull();
    expect(asks('act', START)).toBe(START + 100);
    expect(asks('tell', START)).toBe(START + 100);
    expect(asks('tell', START + 100)).toBeNull();
  });

  it('the hourly quota is what GitHub says it is: what is behind waits for the next hour sooner', () => {
    const asks = (rank: Rank, remaining: number, now = START) => {
      const quota: Quota = { limit: 5_000, remaining, resetAt: START + HOUR };
      return spend(UNSPENT, { rank, cost: READ, quota }, [], now).waitUntil;
    };
    expect(asks('tell', 1_501)).toBeNull();
    expect(asks('tell', 1_500)).toBe(START + HOUR);
    expect(asks('act', 501)).toBeNull();
    expect(asks('act', 500)).toBe(START + HOUR);
    expect(asks('hear', 1)).toBeNull();
    expect(asks('hear', 0)).toBe(START + HOUR);
    expect(asks('hear', 0, START + HOUR)).toBeNull();
  });

  it('J12: an Enterprise Server has no limits but those that it tells of', () => {
    expect(limitsOf('github.com')).toBe(GITHUB_LIMITS);
    expect(limitsOf('octo.ghe.com')).toBe(GITHUB_LIMITS);
    expect(limitsOf('github.example.com')).toEqual([]);
  });
});
