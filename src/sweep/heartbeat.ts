import type { Store } from '../store/store.ts';
import type { Clock } from '../worker/ports.ts';

/** Lets the database know that it is in use; what one restored from a backup does not know of is told apart by that. */
export type Heartbeat = () => Promise<void>;

export type HeartbeatOptions = {
  readonly store: Pick<Store, 'heartbeat'>;
  /** As the store has it: a server that took the place of another may lack its last seconds, within one beat. */
  readonly onCut: Store['onCut'];
  /** GitHub's own time now (ms), as far as its answers show it. */
  readonly githubTime: () => number;
};

/** What was answered later than the last one may have to be read after a crash. */
const EVERY_MS = 10_000;

export function openHeartbeat({ store, onCut, githubTime }: HeartbeatOptions): Heartbeat {
  let latest = 0;
  /** Null where the next one is as good as the first: a database that was away may be another by now. */
  let last: number | null = null;
  let cuts = 0;
  onCut(() => {
    cuts += 1;
    last = null;
  });
  let underWay: Promise<void> | null = null;
  async function beat(): Promise<void> {
    const [before, known] = [last, cuts];
    last = null;
    latest = Math.max(githubTime(), latest);
    await store.heartbeat(latest, before);
    if (known === cuts) last = latest;
  }
  return () => {
    underWay ??= beat().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** The answer ends it. Where the database is away others say so; the next one makes up for it. */
export function beatRegularly(heartbeat: Heartbeat, clock: Pick<Clock, 'every'>): () => void {
  return clock.every(EVERY_MS, () => void heartbeat().catch(() => {}));
}
