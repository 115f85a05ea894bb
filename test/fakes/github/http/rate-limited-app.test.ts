import { describe, expect, it } from 'vitest';
import { GITHUB_COM_LIMITS } from '../../../../fakes/github/http/server-state.ts';
import { openVirtualApp, type VirtualApp, type VirtualPull } from '../../../unit/worker/virtual-app.ts';

/** Posts comments of people without write access. The App replies to each of them. */
function postFromStrangers(pull: VirtualPull, size: number, name = 'visitor'): void {
  for (let count = 0; count < size; count += 1) pull.person(`${name}${count}`).says('@countersign do it');
}

/** Returns the maximum number of comments and reactions in any minute. */
function maxWritesPerMinute({ gateway }: VirtualApp): number {
  const times = gateway.requests
    .filter(({ caller, status }) => caller.kind === 'installation' && status === 201)
    .map(({ at }) => at);
  return Math.max(...times.map((end) => times.filter((at) => at > end - 60_000 && at <= end).length));
}

function countRefusals({ gateway }: VirtualApp): number {
  return gateway.requests.filter(({ status }) => status === 403 || status === 429).length;
}

describe('the App under GitHub’s limit of 80 writes a minute', () => {
  it('posts 200 replies without exceeding the limit (H8, R14)', {
    timeout: 30_000,
  }, async () => {
    const secondary = { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 9_000 };
    const app = openVirtualApp({ granted: { ...GITHUB_COM_LIMITS, secondary } });
    const shop = app.installedFor('acme');
    const pulls = Array.from({ length: 20 }, () => shop.opens());
    for (const [index, pull] of pulls.entries()) postFromStrangers(pull, 10, `v${index}x`);
    const startedAt = app.now();
    await app.runUntilIdle();
    for (const pull of pulls) expect(new Set(pull.appComments()).size).toBe(10);
    expect(countRefusals(app)).toBe(0);
    expect(maxWritesPerMinute(app)).toBeLessThanOrEqual(80);
    // At 72 comments in 65 seconds; the rest of a minute is for commits.
    expect(app.now() - startedAt).toBe(2 * 65_000);
    expect(app.violations).toEqual([]);
  });

  it('a rate-limited installation does not delay another one (H9)', async () => {
    const claims: string[] = [];
    const app = openVirtualApp({
      wrapContext: (context) => {
        const { claimPull } = context.store;
        const store: typeof context.store = {
          ...context.store,
          claimPull: async (...given) => {
            const claim = await claimPull(...given);
            if (claim !== null) claims.push(claim.pullRequestKey);
            return claim;
          },
        };
        return { ...context, store };
      },
    });
    const limited = app.installedFor('acme');
    const pulls = Array.from({ length: 10 }, () => limited.opens());
    for (const [index, pull] of pulls.entries()) postFromStrangers(pull, 10, `v${index}x`);
    await app.settle();
    expect(pulls.flatMap((pull) => pull.appComments()).length).toBeLessThan(100);
    const other = app.installedFor('other').opens();
    const [before, startedAt] = [claims.length, app.now()];
    other.person('dora').says('@countersign do it');
    await app.settle();
    expect(other.appComments()).toHaveLength(1);
    expect(app.now()).toBe(startedAt);
    const installations = new Set(claims.slice(before).map((key) => key.split('/')[0]));
    expect(installations).toEqual(new Set([String(other.ref.installationId)]));
  });
});
