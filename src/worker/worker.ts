import type { Due } from '../store/store.ts';
import { claimEffect, claimPull, type Work } from './claim-work.ts';
import type { Context } from './context.ts';
import { Lane } from './lane.ts';
import { Wakener } from './wakener.ts';

export type WorkerOptions = {
  /** Names this worker in claims; unique among processes. */
  readonly name: string;
  /** Pull requests and long effects worked on at the same time. */
  readonly pulls: number;
  readonly longEffects: number;
  /** The safety net below wake-ups (ms). */
  readonly pollMs: number;
};

/** A running worker. */
export type Worker = {
  /** Work may have come. */
  wake(): void;
  running(): boolean;
  /** True while something is worked on or due: nothing more will happen by itself once this is false. */
  busy(): boolean;
  /** Takes no more work and waits for what is under way, at most this long (ms); what is left is taken up by the next process. */
  stop(graceMs: number): Promise<void>;
};

const DEFAULTS = { pulls: 4, longEffects: 8, pollMs: 2_000 } as const;
const MIN_PAUSE_MS = 20;
/** What becomes due this soon counts as due: it is a matter of the next moment. */
const SOON_MS = 1_500;

/** Starts the loop that takes signals and performs effects. */
export function startWorker(context: Context, options: Pick<WorkerOptions, 'name'> & Partial<WorkerOptions>): Worker {
  const { name, pulls, longEffects, pollMs } = { ...DEFAULTS, ...options };
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakener = new Wakener();
  const lane = (limit: number, claim: () => Promise<Work | null>): Lane => {
    const carryOut = (work: Work) => safely(context, work).then(() => wakener.wake());
    return new Lane({ limit, claim: () => safely(context, claim), carryOut });
  };
  const lanes: Lanes = {
    pull: lane(pulls, () => claimPull(context, name, signal)),
    free: lane(longEffects, () => claimEffect(context, name, signal)),
  };
  /** What was known when the loop last went to sleep: nothing to do before `until` (ms), unless a call has come since. */
  let rest = { until: 0, calls: -1 };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const { calls } = wakener;
      const due = await safely(context, () => context.store.nextDue());
      if (due !== null && (await begin(lanes, due, context.clock.now(), signal))) continue;
      rest = { until: due === null ? context.clock.now() + pollMs : nextChance(lanes, due), calls };
      const pause = Math.max(MIN_PAUSE_MS, rest.until - context.clock.now());
      await wakener.wait(Math.min(pollMs, pause), calls);
    }
    await Promise.all([lanes.pull.settled(), lanes.free.settled()]);
  }

  const unsubscribe = context.store.onWake(() => wakener.wake());
  const ended = run();
  return {
    wake: () => wakener.wake(),
    running: () => !signal.aborted,
    busy() {
      const resting = lanes.pull.isIdle && lanes.free.isIdle && rest.calls === wakener.calls;
      return !resting || rest.until <= context.clock.now() + SOON_MS;
    },
    async stop(graceMs) {
      stopping.abort();
      wakener.wake();
      unsubscribe();
      await Promise.race([ended, after(graceMs)]);
    },
  };
}

type Lanes = Readonly<Record<keyof Due, Lane>>;

/** Begins what is due, as much as there is room for; true where that was anything. Only where something is due is a claim tried. */
async function begin(lanes: Lanes, due: Due, now: number, stopping: AbortSignal): Promise<boolean> {
  const isDue = (at: number | null): boolean => at !== null && at <= now;
  const begun = await Promise.all([
    isDue(due.pull) && lanes.pull.fill(stopping),
    isDue(due.free) && lanes.free.fill(stopping),
  ]);
  return begun.includes(true);
}

/** When something can be begun (ms), as far as time alone decides: a full lane has to wait for its own. */
function nextChance(lanes: Lanes, due: Due): number {
  const pull = lanes.pull.hasRoom ? due.pull : null;
  const free = lanes.free.hasRoom ? due.free : null;
  return Math.min(pull ?? Number.POSITIVE_INFINITY, free ?? Number.POSITIVE_INFINITY);
}

/** A fault of one piece of work must not end the loop that others depend on. */
async function safely<T>(context: Context, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    context.log.error({ err: error }, 'work failed; it stays stored and is taken up again');
    return null;
  }
}

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
