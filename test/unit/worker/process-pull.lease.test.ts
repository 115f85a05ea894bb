import { expect, it } from 'vitest';
import { WRITE_TIMEOUT_MS } from '../../../src/core/step/ports.ts';
import { LEASE_MS } from '../../../src/worker/process-pull.ts';

it('a write times out before another process can take over from one that hangs (S77, G7)', () => {
  // A lease is renewed every LEASE_MS / 5, so two thirds of it are left at the least, even if the process hangs.
  expect(WRITE_TIMEOUT_MS).toBeLessThan(LEASE_MS - LEASE_MS / 3);
});
