import { RUNS_MS } from '../store/prune.ts';
import type { Store } from '../store/store.ts';
import type { Replica } from './replica.ts';
import type { Timeline } from './timeline.ts';

export type ForgettingOptions = {
  readonly replica: Replica;
  readonly timeline: Timeline;
  /** The process's own view of the store. */
  readonly store: Pick<Store, 'prune'>;
  /** When people had stopped talking (ms); null before that. */
  readonly calmSince: () => number | null;
};

const FIRST_MS = 60_000;
/** Each look is three times as far from the one before as that was, up to this. */
const RAREST_MS = 10 * 86_400_000;
/** What is over is over some weeks after the last word. */
const ALL_OVER_MS = RUNS_MS + 40 * 86_400_000;

/** Lets a process forget what was kept long enough, until nothing can be left to be forgotten. */
export function startForgetting({ replica, timeline, store, calmSince }: ForgettingOptions): void {
  const isDone = async (last: boolean): Promise<boolean> => {
    try {
      while (await store.prune(timeline.now));
      return last;
    } catch {
      return false;
    }
  };
  const look = async (pauseMs: number): Promise<void> => {
    const since = calmSince();
    if (await isDone(since !== null && timeline.now > since + ALL_OVER_MS)) return;
    replica.after(pauseMs, () => timeline.follow(() => look(Math.min(pauseMs * 3, RAREST_MS))));
  };
  replica.after(FIRST_MS, () => timeline.follow(() => look(FIRST_MS)));
}
