import { describe, expect, it } from 'vitest';
import { GITHUB_COM_LIMITS, type GrantedLimits } from '../../src/simulator/http/usage.ts';
import { openVirtualApp, type VirtualApp, type VirtualPull } from './virtual-app.ts';

const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
const HOUR = 3_600_000;

/** People who may do nothing here: each of them is told so, in a comment of its own. */
function crowd(pull: VirtualPull, size: number, name = 'visitor'): void {
  for (let count = 0; count < size; count += 1) pull.person(`${name}${count}`).says('@countersign do it');
}

/** The most that an installation wrote in any stretch of this length (ms), by GitHub's own clock. */
function mostWrites({ gateway }: VirtualApp, spanMs: number): number {
  const times = gateway.requests
    .filter(({ caller, method }) => caller.kind === 'installation' && method !== 'GET')
    .map(({ at }) => at);
  return Math.max(...times.map((end) => times.filter((at) => at > end - spanMs && at <= end).length));
}

function refusals({ gateway }: VirtualApp): number {
  return gateway.requests.filter(({ status }) => status === 403 || status === 429).length;
}

describe('GitHub grants 80 writes a minute and 500 an hour', () => {
  it('H8, R14: four hundred answers at once never exceed it, and all are given', {
    timeout: 30_000,
  }, async () => {
    const app = openVirtualApp();
    const shop = app.installedFor('acme');
    const pulls = Array.from({ length: 40 }, () => shop.opens());
    for (const [index, pull] of pulls.entries()) crowd(pull, 10, `v${index}x`);
    const begun = app.now();
    await app.playOn();
    for (const pull of pulls) expect(new Set(pull.said()).size).toBe(10);
    expect(refusals(app)).toBe(0);
    expect(mostWrites(app, 60_000)).toBeLessThanOrEqual(80);
    expect(mostWrites(app, HOUR)).toBeLessThanOrEqual(500);
    // 400 answers are more than an hour's share of them, and not more than that of two.
    expect(app.now() - begun).toBeGreaterThan(HOUR);
    expect(app.now() - begun).toBeLessThan(2 * HOUR);
    expect(app.violations).toEqual([]);
  });

  it('H8: a decision does not wait behind what only tells', async () => {
    const app = openVirtualApp();
    const shop = app.installedFor('acme');
    for (const index of Array.from({ length: 10 }).keys()) crowd(shop.opens(), 10, `v${index}x`);
    await app.settle();
    const pull = shop.opens();
    pull.person('ana', 'write').says('/countersign look at it');
    const begun = app.now();
    await app.settle();
    expect(app.asked()).toBe(1);
    expect(app.now()).toBe(begun);
    await app.playOn();
    expect(pull.said().join('\n')).toContain('look at it');
  });

  it('H9: what waits in one installation takes no turn from another one', async () => {
    const claims: string[] = [];
    const app = openVirtualApp({
      bend: (context) => {
        const { claimPull } = context.store;
        const store: typeof context.store = {
          ...context.store,
          claimPull: async (...given) => {
            const claim = await claimPull(...given);
            if (claim !== null) claims.push(claim.pullKey);
            return claim;
          },
        };
        return { ...context, store };
      },
    });
    const limited = app.installedFor('acme');
    const pulls = Array.from({ length: 10 }, () => limited.opens());
    for (const [index, pull] of pulls.entries()) crowd(pull, 10, `v${index}x`);
    await app.settle();
    expect(pulls.flatMap((pull) => pull.said()).length).toBeLessThan(100);
    const other = app.installedFor('other').opens();
    const [before, begun] = [claims.length, app.now()];
    other.person('dora').says('@countersign do it');
    await app.settle();
    expect(other.said()).toHaveLength(1);
    expect(app.now()).toBe(begun);
    const installations = new Set(claims.slice(before).map((key) => key.split('/')[0]));
    expect(installations).toEqual(new Set([String(other.ref.installationId)]));
  });
});

describe('GitHub says when to come again', () => {
  const told = { kind: 'before', status: 429, headers: { 'retry-after': '600' } } as const;

  it('H8, G16: nobody of that installation asks before, a restart or not, and then it goes on', async () => {
    const app = openVirtualApp();
    const shop = app.installedFor('acme');
    const [first, second] = [shop.opens(), shop.opens()];
    app.gateway.faults.add({ ...told, on: PERMISSION });
    first.person('dora').says('@countersign do it');
    const begun = app.now();
    await app.settle();
    const asked = app.gateway.requests.length;
    await app.playOn(begun + 300_000);
    app.restart();
    second.person('emil').says('@countersign do it');
    await app.playOn(begun + 599_000);
    expect(app.gateway.requests.length).toBe(asked);
    await app.playOn();
    expect([first, second].map((pull) => pull.said().length)).toEqual([1, 1]);
    expect(app.now()).toBe(begun + 600_000);
  });

  it('H8: and over and over again: what is to be said is said in the end', async () => {
    const app = openVirtualApp();
    const pull = app.installedFor('acme').opens();
    const on = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    app.gateway.faults.add({ ...told, on, times: 20 });
    crowd(pull, 1);
    await app.playOn();
    expect(pull.said()).toHaveLength(1);
  });

  it('H9: others go on meanwhile', async () => {
    const app = openVirtualApp();
    const [limited, other] = [app.installedFor('acme').opens(), app.installedFor('other').opens()];
    app.gateway.faults.add({ ...told, on: PERMISSION });
    limited.person('dora').says('@countersign do it');
    await app.settle();
    other.person('emil').says('@countersign do it');
    await app.settle();
    expect([limited, other].map((pull) => pull.said().length)).toEqual([0, 1]);
  });

  it('H8: limits that are tighter than we think are met once, and then kept to', async () => {
    const granted: GrantedLimits = {
      ...GITHUB_COM_LIMITS,
      secondary: { writesPerMinute: 5, writesPerHour: 500, pointsPerMinute: 900 },
    };
    const app = openVirtualApp({ granted });
    const pull = app.installedFor('acme').opens();
    crowd(pull, 10);
    await app.playOn();
    expect(pull.said()).toHaveLength(10);
    expect(new Set(pull.said()).size).toBe(10);
    expect(refusals(app)).toBe(1);
    expect(app.violations).toEqual([]);
  });

  it('H8: the hour’s quota is left to decisions before it is gone, and never overdrawn', async () => {
    const app = openVirtualApp({ granted: { requestsPerHour: 40, secondary: null } });
    const shop = app.installedFor('acme');
    const pulls = Array.from({ length: 4 }, () => shop.opens());
    for (const [index, pull] of pulls.entries()) crowd(pull, 10, `v${index}x`);
    await app.playOn();
    for (const pull of pulls) expect(pull.said()).toHaveLength(10);
    expect(refusals(app)).toBe(0);
  });
});
