import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Clock } from './ports.ts';

/** Forgets what was kept long enough, again and again. */
export type Retention = {
  /** Begins nothing more and waits for the batch that is under way. */
  stop(): Promise<void>;
};

export type RetentionOptions = {
  readonly store: Pick<Store, 'prune'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
};

const TICK_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Begins a minute from now: a start has other things to do. */
export function startRetention({ store, clock, log }: RetentionOptions): Retention {
  let due = clock.now();
  let stopped = false;
  let underWay: Promise<void> | null = null;

  async function run(): Promise<void> {
    due = clock.now() + EVERY_MS;
    try {
      while (!stopped && (await store.prune(clock.now())));
    } catch (error) {
      log.warn({ err: error }, 'what is to be forgotten could not be removed; it is tried again in an hour');
    }
  }

  const stopTicking = clock.every(TICK_MS, () => {
    if (stopped || underWay !== null || clock.now() < due) return;
    underWay = run().finally(() => {
      underWay = null;
    });
  });
  return {
    async stop() {
      stopped = true;
      stopTicking();
      await underWay;
    },
  };
}
