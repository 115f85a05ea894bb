import { expect, it } from 'vitest';
import { WRITE_TIMEOUT_MS } from '../../../src/core/state/ports.ts';
import { LEASE_MS } from '../../../src/worker/process-pull.ts';

it('a write times out before another process can take over from one that hangs (S77, G7)', () => {
  // A lease is renewed before a third of it is over, so the rest at least is left of it whenever the process stops.
  expect(WRITE_TIMEOUT_MS).toBeLessThan(LEASE_MS - LEASE_MS / 3);
});
