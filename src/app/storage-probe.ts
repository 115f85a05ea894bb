import type { Store } from '../adapters/store/store.ts';
import { createFault } from '../adapters/telemetry/fault.ts';
import type { Logger } from '../adapters/telemetry/log.ts';

type StorageOptions = {
  readonly store: Pick<Store, 'rehearseReceive'>;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/**
 * Returns the check whether a delivery can be stored now, which rejects with the reason if not. It rehearses a whole
 * delivery, because a small write can succeed on a disk that is too full for one.
 */
export function createStorageCheck({ store, log, now }: StorageOptions): () => Promise<void> {
  const fault = createFault({
    level: 'error',
    message: 'database cannot store',
    endMessage: 'database can store again',
  });
  let running: Promise<void> | null = null;

  async function rehearse(): Promise<void> {
    try {
      await store.rehearseReceive(now());
      fault.ended(log);
    } catch (error) {
      fault.failed(log, error);
      throw error;
    }
  }

  // One rehearsal at a time, however many ask for it.
  return () => {
    running ??= rehearse().finally(() => {
      running = null;
    });
    return running;
  };
}
