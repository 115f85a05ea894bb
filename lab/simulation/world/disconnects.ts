import { WRITE_TIMEOUT_MS } from '../../../src/core/step/ports.ts';
import type { BrokenConnection } from './database.ts';
import type { Random } from './random.ts';
import type { Replica } from './replica.ts';
import type { Trace } from './trace.ts';

/** How often a process loses its database connection. `maxCount` is a limit, because a case can last days. */
export type DisconnectRates = {
  /** Time between two disconnects (ms). */
  readonly intervalMs: readonly [number, number];
  /**
   * Time from a disconnect until the server frees the process's leases (ms). It is longer than a call of GitHub, because
   * the App cannot prevent a duplicate of a write that is in flight.
   */
  readonly takeoverMs: readonly [number, number];
  readonly maxCount: number;
};

export const DISCONNECT_RATES: DisconnectRates = {
  intervalMs: [500, 15_000],
  takeoverMs: [1_000, WRITE_TIMEOUT_MS],
  maxCount: 20,
};

export const FREQUENT_DISCONNECT_RATES: DisconnectRates = {
  intervalMs: [10, 1_000],
  takeoverMs: [750, 1_500],
  maxCount: 300,
};

const RECONNECT_DELAY_MS = [0, 1_500] as const;

type DisconnectContext = { readonly random: Random; readonly trace: Trace; readonly isOver: () => boolean };

/** Disconnects a process from the database again and again. Meanwhile other processes can take over its work. */
export function startDisconnecting(
  { random, trace, isOver }: DisconnectContext,
  replica: Replica,
  { intervalMs, takeoverMs, maxCount }: DisconnectRates,
  breakConnection: () => BrokenConnection,
): void {
  const scheduleDisconnect = (remaining: number): void => {
    replica.schedule(random.between(...intervalMs), () => {
      if (remaining === 0 || isOver()) return;
      trace.add({ kind: 'fault', fault: 'connection-cut', where: 'the database' });
      const { freeLeases, reconnect } = breakConnection();
      replica.schedule(random.between(...takeoverMs), () => {
        freeLeases();
        replica.schedule(random.between(...RECONNECT_DELAY_MS), () => {
          reconnect();
          scheduleDisconnect(remaining - 1);
        });
      });
    });
  };
  scheduleDisconnect(maxCount);
}
