import type { Store } from '../store/store.ts';

/** Lets the database know that it is in use; what one restored from a backup does not know of is told apart by that. */
export type Heartbeat = () => Promise<void>;

export type HeartbeatOptions = {
  readonly store: Pick<Store, 'heartbeat'>;
  /** GitHub's own time now (ms), as far as its answers show it. */
  readonly githubTime: () => number;
};

export function openHeartbeat({ store, githubTime }: HeartbeatOptions): Heartbeat {
  let last: number | null = null;
  return async () => {
    const at = Math.max(githubTime(), last ?? 0);
    await store.heartbeat(at, last);
    last = at;
  };
}
