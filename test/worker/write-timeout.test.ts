import { expect, it } from 'vitest';
import { LEASE_MS } from '../../src/worker/drain.ts';
import { WRITE_TIMEOUT_MS } from '../../src/worker/ports.ts';

it('S77, G7: a write is given up before anybody can take over from a process that hangs', () => {
  // A lease is renewed before a third of it is over, so the rest at least is left of it whenever the process stops.
  expect(WRITE_TIMEOUT_MS).toBeLessThan(LEASE_MS - LEASE_MS / 3);
});
