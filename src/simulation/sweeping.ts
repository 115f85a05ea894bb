import type { PullRef, Place as Spot } from '../command/intent.ts';
import { openTake } from '../intake/take-delivery.ts';
import type { Store } from '../store/store.ts';
import { openAsItStands } from '../sweep/as-it-stands.ts';
import { openHeartbeat } from '../sweep/heartbeat.ts';
import { newMemory } from '../sweep/memory.ts';
import { EVERY_MS, sweep } from '../sweep/sweep.ts';
import type { SweepOptions } from '../sweep/sweep-options.ts';
import type { AttemptLog } from './delivery-log.ts';
import { refuseUnlessActing } from './github/installation.ts';
import { wordsAt } from './github/own-words.ts';
import { onPull, standingOf } from './github/port.ts';
import type { Hub } from './hub.ts';
import type { Replica } from './replica.ts';
import type { Scene } from './scene.ts';
import type { Timeline } from './timeline.ts';

export type SweepingOptions = {
  readonly replica: Replica;
  readonly timeline: Timeline;
  readonly hub: Hub;
  readonly scene: Scene;
  readonly log: AttemptLog;
  /** The process's own view of the store. */
  readonly store: Store;
  /** Nothing can be lost any more: one whole sweep from here on is the last. */
  readonly isOver: () => boolean;
};

/**
 * People may be silent for days: each look is twice as far from the one before as that was, up to this; but one that failed
 * comes again soon, as it does in a process, or GitHub's log forgets meanwhile what a few of them in a row did not read.
 */
const RAREST_MS = 24 * 60 * 60_000;
const NEVER = new AbortController().signal;
const NOTHING = { add() {} };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Lets a process look for lost webhooks when it begins, and again and again. */
export function startSweeping(options: SweepingOptions): void {
  const { replica, timeline, isOver } = options;
  const memory = newMemory();
  const given = optionsOf(options);
  const lookOnce = async (): Promise<'over' | 'looked' | 'failed'> => {
    // What an earlier look left over is worked off first, without reading the log again.
    const last = isOver() && memory.backlog.length === 0 && memory.listing === null;
    try {
      return (await sweep(memory, given, NEVER)) === 'done' && last ? 'over' : 'looked';
    } catch {
      return 'failed';
    }
  };
  const look = async (pauseMs: number): Promise<void> => {
    const came = await lookOnce();
    if (came === 'over') return;
    const pause = came === 'failed' ? EVERY_MS : pauseMs;
    replica.after(pause, () => timeline.follow(() => look(Math.min(pause * 2, RAREST_MS))));
  };
  replica.after(0, () => timeline.follow(() => look(EVERY_MS)));
}

function optionsOf({ replica, timeline, hub, scene, log, store }: SweepingOptions): SweepOptions {
  const now = (): number => timeline.now;
  const page = replica.port('github', {
    words: async (ref: PullRef, place: Spot) => {
      refuseUnlessActing(hub, ref);
      return wordsAt(standingOf(hub, onPull(scene, ref.number)), place);
    },
  });
  return {
    ...{ store, now, log: SILENT, lost: NOTHING },
    heartbeat: openHeartbeat({ store, onCut() {}, githubTime: now }),
    deliveries: replica.port('github', log.port),
    asItStands: openAsItStands({ self: scene, words: page.words }),
    take: openTake({ store, self: () => scene, now, log: SILENT, deliveries: NOTHING }),
    githubTime: now,
  };
}
