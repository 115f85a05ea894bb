import type { Store } from '../adapters/store/store.ts';
import type { Logger } from '../adapters/telemetry/log.ts';
import type { Clock } from '../core/step/ports.ts';

type CleanupOptions = {
  readonly store: Pick<Store, 'deleteExpired'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
};

const TICK_MS = 60_000;
const CLEANUP_INTERVAL_MS = 3_600_000;

/** Deletes expired data at regular intervals. Starts after one minute, to keep the start of the process fast. */
export function startCleanup({ store, clock, log }: CleanupOptions) {
  let dueAt = clock.now();
  let stopped = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    dueAt = clock.now() + CLEANUP_INTERVAL_MS;
    try {
      while (!stopped && (await store.deleteExpired(clock.now())));
    } catch (error) {
      log.warn({ err: error }, 'cleanup failed');
    }
  }

  const stopTicking = clock.every(TICK_MS, () => {
    if (stopped || running !== null || clock.now() < dueAt) return;
    running = run().finally(() => {
      running = null;
    });
  });
  return {
    /** Starts no more batches and waits for the one in progress. */
    async stop(): Promise<void> {
      stopped = true;
      stopTicking();
      await running;
    },
  };
}
