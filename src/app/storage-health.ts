import type { Store } from '../adapters/store/store.ts';
import { createFault } from '../adapters/telemetry/fault.ts';
import type { Logger } from '../adapters/telemetry/log.ts';
import { isConflict, isOutage } from '../lib/outage.ts';

/** Knows from the writes of the work whether anything can be stored. */
export type StorageHealth = {
  /** Rejects with the reason while nothing can be stored. Asks the database only if nobody wrote for a while. */
  check(): Promise<void>;
  stop(): void;
};

type StorageHealthOptions = {
  readonly store: Store;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Pause between two rehearsals during a fault; default 2 s. */
  readonly rehearsalIntervalMs?: number;
};

/** A success of one of these proves that the database can write; the heartbeat does it every 10 s. */
const WRITES: ReadonlySet<string | symbol> = new Set<keyof Store>([
  'receive',
  'save',
  'saveIfInboxEmpty',
  'finishEffect',
  'postponeEffect',
  'recordHeartbeat',
]);

/** A write proves for this long that writing works. It is longer than the heartbeat's interval. */
const PROOF_MS = 15_000;

const REHEARSAL_INTERVAL_MS = 2_000;

/**
 * Watches all calls of a store. An outage in any of them makes the storage unhealthy; then only a rehearsed delivery
 * makes it healthy again, because a small write can succeed on a disk that is too full for a delivery.
 */
export function watchStorage(options: StorageHealthOptions): {
  readonly store: Store;
  readonly storage: StorageHealth;
} {
  const monitor = createMonitor(options);
  const store = new Proxy(options.store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...values: readonly unknown[]) => {
        const result: unknown = Reflect.apply(member, target, values);
        return result instanceof Promise ? monitor.watch(result, WRITES.has(key)) : result;
      };
    },
  });
  return { store, storage: { check: monitor.check, stop: monitor.stop } };
}

function createMonitor({ store, log, now, rehearsalIntervalMs = REHEARSAL_INTERVAL_MS }: StorageHealthOptions) {
  const fault = createFault({
    level: 'error',
    message: 'database cannot store',
    endMessage: 'database can store again',
  });
  let [provenAt, failedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let reason: unknown = null;
  let [timer, rehearsal]: [NodeJS.Timeout | null, Promise<void> | null] = [null, null];
  let stopped = false;

  function failed(error: unknown): void {
    [reason, failedAt] = [error, performance.now()];
    if (stopped) return;
    fault.failed(log, error);
    timer ??= setInterval(() => void rehearse().catch(() => {}), rehearsalIntervalMs).unref();
  }

  function succeeded(begunAt: number): void {
    provenAt = performance.now();
    // A failure during the rehearsal, or shortly before it, counts more.
    if (timer === null || begunAt < failedAt + rehearsalIntervalMs / 2) return;
    stopRehearsing();
    fault.ended(log);
  }

  /** One rehearsal at a time, however many ask for it. */
  function rehearse(): Promise<void> {
    const begunAt = performance.now();
    rehearsal ??= store
      .rehearseReceive(now())
      .then(() => succeeded(begunAt))
      .catch((error: unknown) => {
        failed(error);
        throw error;
      })
      .finally(() => {
        rehearsal = null;
      });
    return rehearsal;
  }

  function stopRehearsing(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    stop(): void {
      stopped = true;
      stopRehearsing();
    },
    async check(): Promise<void> {
      if (timer !== null) throw reason;
      if (performance.now() - provenAt > PROOF_MS) await rehearse();
    },
    async watch(call: Promise<unknown>, isWrite: boolean): Promise<unknown> {
      try {
        const result = await call;
        if (isWrite) provenAt = performance.now();
        return result;
      } catch (error) {
        if (isOutage(error) && !isConflict(error)) failed(error);
        throw error;
      }
    },
  };
}
