import { type Effect, LANES } from '../../core/step/effects.ts';
import type { Backend } from './engine/backend.ts';
import type { WorkHint } from './store.ts';

type Listener = (hint: WorkHint | null) => void;

/** Hints that there might be work. Listeners in this process get them immediately, other processes soon. */
export type WorkNotifier = {
  readonly onWorkAvailable: (listener: Listener) => () => void;
  /** Without a hint if it is unknown which work was stored, or how much. */
  readonly notify: (hint?: WorkHint) => void;
  /** Counts due concurrent effects of a saved step; `flush` sends the notification. */
  readonly notifyLater: (pullRequestKey: string, count: number) => void;
  /**
   * Sends the counted notification. Called after the holder of the claim has asked for its next work: earlier, the
   * result of a fast effect would find the pull request still claimed.
   */
  readonly flush: (pullRequestKey: string) => void;
};

export function createWorkNotifier(backend: Pick<Backend, 'notifyOthers' | 'onNotified'>): WorkNotifier {
  const listeners = new Set<Listener>();
  const pendingCounts = new Map<string, number>();
  const notifyListeners = (hint: WorkHint | null): void => {
    for (const listener of listeners) listener(hint);
  };
  const notify = (hint?: WorkHint): void => {
    notifyListeners(hint ?? null);
    backend.notifyOthers();
  };
  backend.onNotified(() => notifyListeners(null));
  return {
    onWorkAvailable(listener) {
      // A wrapper, because a set would merge two registrations of one function.
      const registered: Listener = (hint) => listener(hint);
      listeners.add(registered);
      return () => void listeners.delete(registered);
    },
    notify,
    notifyLater: (pullRequestKey, count) =>
      void pendingCounts.set(pullRequestKey, (pendingCounts.get(pullRequestKey) ?? 0) + count),
    flush(pullRequestKey) {
      const count = pendingCounts.get(pullRequestKey);
      pendingCounts.delete(pullRequestKey);
      if (count !== undefined) notify({ lane: 'concurrent', count });
    },
  };
}

/** Whether any worker can perform the effect; the claim's holder performs the others. */
export function isConcurrent(effect: Effect): boolean {
  return LANES[effect.type] === 'concurrent';
}
