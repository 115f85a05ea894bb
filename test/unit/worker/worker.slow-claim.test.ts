import { expect, it } from 'vitest';
import type { Claim } from '../../../src/adapters/store/store.ts';
import { WRITE_TIMEOUT_MS } from '../../../src/core/step/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

const LEASE_MS = 15_000;

/** Time that the database takes to answer a claim (ms). */
const SLOW_MS = 14_500;

/** Remaining lease (ms) at each write to GitHub, if claims take almost as long as leases. */
async function remainingLeases(): Promise<readonly number[]> {
  const left: number[] = [];
  let leasedUntil = 0;
  const app = openVirtualApp({
    wrapContext(context) {
      const { store, githubApp } = context;
      const claimed = (claim: Claim | null): Claim | null => {
        if (claim === null) return null;
        leasedUntil = claim.leaseUntil;
        app.pass(SLOW_MS);
        return claim;
      };
      return {
        ...context,
        store: {
          ...store,
          claimPull: async (now, ms) => claimed(await store.claimPull(now, ms)),
          renewClaim: async (claim, now, ms) => {
            const held = await store.renewClaim(claim, now, ms);
            if (held) leasedUntil = now + LEASE_MS;
            return held;
          },
        },
        githubApp: {
          ...githubApp,
          forPull: (ref, canWrite) =>
            githubApp.forPull(ref, () => {
              const allowed = canWrite?.() ?? true;
              if (allowed) left.push(leasedUntil - app.now());
              return allowed;
            }),
        },
      };
    },
  });
  const pull = app.installedFor('acme').opens();
  pull.person('ana', 'write').says('/countersign make it simpler');
  await app.runUntilIdle();
  expect(app.violations).toEqual([]);
  expect(pull.appComments()).not.toEqual([]);
  return left;
}

it('no write is sent under a lease that ends before it reaches GitHub, even with slow claims (G7)', async () => {
  const left = await remainingLeases();
  expect(left).not.toEqual([]);
  expect(Math.min(...left)).toBeGreaterThan(WRITE_TIMEOUT_MS);
});
