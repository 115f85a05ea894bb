import { expect, it } from 'vitest';
import type { Claimed } from '../../src/store/store.ts';
import { WRITE_TIMEOUT_MS } from '../../src/worker/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

const LEASE_MS = 15_000;
/** How long the database takes to answer a claim, or to store an outcome and claim along with it. */
const SLOW_MS = 14_500;
/** How much of its lease each write to GitHub had left (ms), where claims take almost as long as leases. */
async function leftAtWrites(): Promise<readonly number[]> {
  const left: number[] = [];
  let leasedUntil = 0;
  const app = openVirtualApp({
    bend(context) {
      const { store, githubs } = context;
      const claimed = (claim: Claimed | null): Claimed | null => {
        if (claim === null) return null;
        leasedUntil = claim.leaseUntil;
        app.pass(SLOW_MS);
        return claim;
      };
      return {
        ...context,
        store: {
          ...store,
          claimPull: async (worker, now, ms) => claimed(await store.claimPull(worker, now, ms)),
          finishEffect: async (...given) => claimed(await store.finishEffect(...given)),
          renew: async (claim, now, ms) => {
            const held = await store.renew(claim, now, ms);
            if (held) leasedUntil = now + LEASE_MS;
            return held;
          },
        },
        githubs: {
          ...githubs,
          for: (ref, rank, mayWrite) =>
            githubs.for(ref, rank, () => {
              const may = mayWrite?.() ?? true;
              if (may) left.push(leasedUntil - app.now());
              return may;
            }),
        },
      };
    },
  });
  const pull = app.installedFor('acme').opens();
  pull.person('ana', 'write').says('/countersign make it simpler');
  await app.playOn();
  expect(app.violations).toEqual([]);
  expect(pull.said()).not.toEqual([]);
  return left;
}

it('G7: nothing is written under a lease that is over before it comes to GitHub, though claims are slow', async () => {
  const left = await leftAtWrites();
  expect(left).not.toEqual([]);
  expect(Math.min(...left)).toBeGreaterThan(WRITE_TIMEOUT_MS);
});
