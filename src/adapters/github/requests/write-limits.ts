import { LRUCache } from 'lru-cache';

/** GitHub's secondary limits of writes, per installation. GitHub does not report how much of them is used. */
const WRITE_LIMITS = [
  { max: 80, windowMs: 60_000 },
  { max: 500, windowMs: 3_600_000 },
];

/** Comments leave the last tenth of each limit to commits. */
const COMMENT_SHARE = 0.9;

/** Longest time between sending a request and its arrival at GitHub (ms). */
const NETWORK_DELAY_MS = 5_000;

const MAX_INSTALLATIONS = { max: 10_000 };

export type RequestKind = 'read' | 'comment' | 'commit';

/** Counts the writes of this process, and keeps the waits that GitHub demands. */
export type WriteLimits = {
  /** Counts a request and returns null, or returns the time (ms) before which it must not be sent. */
  take(installationId: number, kind: RequestKind): number | null;
  /** Stops all requests of the installation until this time (ms). */
  pause(installationId: number, until: number): void;
};

/** `countsWrites` is false for an Enterprise Server, which has no such limits. `onWait` counts the waits. */
export function createWriteLimits(
  now: () => number,
  countsWrites: boolean,
  onWait: (source: 'own' | 'github') => void,
): WriteLimits {
  const written = new LRUCache<number, readonly number[]>(MAX_INSTALLATIONS);
  const pausedUntil = new LRUCache<number, number>(MAX_INSTALLATIONS);
  return {
    take(installationId, kind) {
      const paused = pausedUntil.get(installationId) ?? 0;
      if (paused > now()) return paused;
      if (kind === 'read' || !countsWrites) return null;
      const times = written.get(installationId) ?? [];
      const freeAt = WRITE_LIMITS.map(({ max, windowMs }) => {
        const allowed = kind === 'commit' ? max : max * COMMENT_SHARE;
        return (times.at(-allowed) ?? Number.NEGATIVE_INFINITY) + windowMs + NETWORK_DELAY_MS;
      });
      const waitUntil = Math.max(...freeAt);
      if (waitUntil <= now()) {
        written.set(installationId, [...times, now()].slice(-Math.max(...WRITE_LIMITS.map(({ max }) => max))));
        return null;
      }
      onWait('own');
      return waitUntil;
    },
    pause(installationId, until) {
      onWait('github');
      pausedUntil.set(installationId, Math.max(pausedUntil.get(installationId) ?? 0, until));
    },
  };
}
