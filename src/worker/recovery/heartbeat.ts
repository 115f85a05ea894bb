import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../core/step/ports.ts';

/** Records that the database is in use. After the restore of a backup, the missing records show the gap. */
export type Heartbeat = () => Promise<void>;

type HeartbeatOptions = {
  readonly store: Pick<Store, 'recordHeartbeat'>;
  /** After a failover, the new database server might lack the last heartbeats. */
  readonly onDisconnect: Store['onDisconnect'];
  /** The current time of GitHub (ms), estimated from its responses. */
  readonly githubTime: () => number;
};

/** After a crash, deliveries since the last heartbeat are read from GitHub's log. */
const HEARTBEAT_INTERVAL_MS = 10_000;

export function createHeartbeat({ store, onDisconnect, githubTime }: HeartbeatOptions): Heartbeat {
  let latest = 0;
  /** The last recorded time; null at first and after a disconnect, because the database might be another one now. */
  let recorded: number | null = null;
  let disconnects = 0;
  onDisconnect(() => {
    disconnects += 1;
    recorded = null;
  });
  let running: Promise<void> | null = null;
  async function beat(): Promise<void> {
    const [previous, disconnectsBefore] = [recorded, disconnects];
    recorded = null;
    latest = Math.max(githubTime(), latest);
    await store.recordHeartbeat(latest, previous);
    if (disconnects === disconnectsBefore) recorded = latest;
  }
  return () => {
    running ??= beat().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Returns a function that stops the heartbeat. Failures are ignored: the next heartbeat covers the same period. */
export function startHeartbeat(heartbeat: Heartbeat, clock: Pick<Clock, 'every'>): () => void {
  return clock.every(HEARTBEAT_INTERVAL_MS, () => void heartbeat().catch(() => {}));
}
