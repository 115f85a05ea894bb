import type { Due, Store } from '../store/store.ts';
import { claimEffect, claimPull, type Work } from '../worker/claim-work.ts';
import type { Context } from '../worker/context.ts';
import type { Replica } from './replica.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** A process that works: what it shares with nobody, and when it looks for work. */
export type CrewOptions = {
  readonly replica: Replica;
  readonly timeline: Timeline;
  readonly trace: Trace;
  /** Its ports, each call of which goes through the replica. */
  readonly context: Context;
  /** The same store, for what costs a process nothing: waking up, and knowing when to look again. */
  readonly store: Pick<Store, 'onWake' | 'nextDue'>;
};

const LIMITS = { pull: 2, free: 3 } as const satisfies Record<keyof Due, number>;
const NEVER = new AbortController().signal;

/** Lets a process look for work whenever there may be some, and carry out what it claims. */
export function startCrew(options: CrewOptions): void {
  const { replica, context, store } = options;
  // What ended in one lane may have left work for the other one.
  const look = (ms: number): void => {
    lanes.pull(ms);
    lanes.free(ms);
  };
  const lanes = {
    pull: openLane(options, 'pull', look, () => claimPull({ context, worker: replica.name, stopping: NEVER })),
    free: openLane(options, 'free', look, (hasRoom) =>
      claimEffect({ context, worker: replica.name, stopping: NEVER, mayGoOn: hasRoom, gaveBack: () => look(1) }),
    ),
  };
  store.onWake(() => look(0));
  look(0);
}

/** Looks after so many ms for work of this kind; a look that is planned for sooner makes a later one unnecessary. */
function openLane(
  options: CrewOptions,
  lane: keyof Due,
  lookAgain: (ms: number) => void,
  claim: (hasRoom: () => boolean) => Promise<Work | null>,
): (ms: number) => void {
  const { replica, timeline, trace, store } = options;
  let underWay = 0;
  let planned = Number.POSITIVE_INFINITY;
  const look = (ms: number): void => {
    const at = Math.ceil(timeline.now + ms);
    if (!replica.alive || planned <= at) return;
    planned = at;
    replica.after(ms, () => {
      if (planned <= timeline.now) planned = Number.POSITIVE_INFINITY;
      if (underWay < LIMITS[lane]) timeline.follow(turn);
    });
  };
  /** As the product's own loop does: a claim is only tried where something is due. */
  const turn = async (): Promise<void> => {
    underWay += 1;
    try {
      const due = (await store.nextDue(timeline.now))[lane];
      if (due === null) return;
      if (due > timeline.now) return look(due - timeline.now);
      const work = await claim(() => underWay < LIMITS[lane]);
      if (work === null) return look(20);
      look(1);
      await work();
      lookAgain(1);
    } catch (error) {
      trace.add({ kind: 'words', text: `${replica.name}: work failed: ${String(error)}` });
      lookAgain(1_000);
    } finally {
      underWay -= 1;
    }
  };
  return look;
}
