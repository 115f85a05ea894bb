import type { Due } from '../store/next-due.ts';
import type { Claim } from '../store/store.ts';
import type { Context } from './context.ts';
import { drain, LEASE_MS, takeEffect, UNCLAIMED } from './drain.ts';
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

/** Something claimed, ready to be worked on. */
type Work = () => Promise<void>;

/** Longer than a model call may take. */
const LONG_LEASE_MS = 150_000;

const DEFAULTS = { pulls: 4, longEffects: 8, pollMs: 2_000 } as const;

/** Work of one kind, up to `limit` at a time. */
type Lane = { readonly limit: number; readonly claim: () => Promise<Work | null>; readonly underWay: Set<Promise<void>> };

/** Starts the loop that takes signals and performs effects. */
export function startWorker(context: Context, options: Pick<WorkerOptions, 'name'> & Partial<WorkerOptions>): Worker {
  const { name, pulls, longEffects, pollMs } = { ...DEFAULTS, ...options };
  const stopping = new AbortController();
  const wakener = new Wakener();
  const lanes: Readonly<Record<keyof Due, Lane>> = {
    pull: { limit: pulls, claim: () => claimPull(context, name, stopping.signal), underWay: new Set() },
    free: { limit: longEffects, claim: () => claimEffect(context, name, stopping.signal), underWay: new Set() },
  };
  /** What the loop found when it last went to sleep: nothing to do before `until` (ms), unless a call has come since. */
  let rest = { until: 0, calls: -1 };
  const unsubscribe = context.store.onWake(() => wakener.wake());
  const ended = run();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { calls } = wakener;
      const due = await safely(context, () => context.store.nextDue());
      if (due !== null && (await takeDue(due))) continue;
      const until = due === null ? context.clock.now() + pollMs : earliest(due);
      rest = { until, calls };
      const pause = Math.max(MIN_PAUSE_MS, until - context.clock.now());
      await wakener.wait(Math.min(pollMs, pause), calls);
    }
    await Promise.all(Object.values(lanes).flatMap(({ underWay }) => [...underWay]));
  }

  /** Claims and begins what is due, as much as there is room for; true where that was anything. */
  async function takeDue(due: Due): Promise<boolean> {
    const taken = await Promise.all([fill(lanes.pull, due.pull), fill(lanes.free, due.free)]);
    return taken.includes(true);
  }

  async function fill(lane: Lane, due: number | null): Promise<boolean> {
    let any = false;
    while (!stopping.signal.aborted && due !== null && due <= context.clock.now() && hasRoom(lane)) {
      const work = await safely(context, lane.claim);
      if (work === null) break;
      track(lane.underWay, carryOut(work));
      any = true;
    }
    return any;
  }

  async function carryOut(work: Work): Promise<void> {
    await safely(context, work);
    wakener.wake();
  }

  /** When something can be begun next (ms); a full lane has to wait for one of its own. */
  function earliest(due: Due): number {
    const pull = hasRoom(lanes.pull) ? due.pull : null;
    const free = hasRoom(lanes.free) ? due.free : null;
    return Math.min(pull ?? Number.POSITIVE_INFINITY, free ?? Number.POSITIVE_INFINITY);
  }

  return {
    wake: () => wakener.wake(),
    running: () => !stopping.signal.aborted,
    busy() {
      const atWork = Object.values(lanes).some(({ underWay }) => underWay.size > 0);
      return atWork || rest.calls !== wakener.calls || rest.until <= context.clock.now() + SOON_MS;
    },
    async stop(graceMs) {
      stopping.abort();
      wakener.wake();
      unsubscribe();
      await Promise.race([ended, after(graceMs)]);
    },
  };
}

function hasRoom({ limit, underWay }: Lane): boolean {
  return underWay.size < limit;
}

const MIN_PAUSE_MS = 20;
/** What becomes due this soon counts as due: it is a matter of the next moment. */
const SOON_MS = 1_500;

/** A fault of one piece of work must not end the lane that others depend on. */
async function safely<T>(context: Context, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    context.log.error({ err: error }, 'work failed; it stays stored and is taken up again');
    return null;
  }
}

function track(underWay: Set<Promise<void>>, work: Promise<void>): void {
  const tracked = work.finally(() => underWay.delete(tracked));
  underWay.add(tracked);
}

async function claimPull(context: Context, name: string, stopping: AbortSignal): Promise<Work | null> {
  const claim = await context.store.claimPull(name, context.clock.now(), LEASE_MS);
  return claim === null ? null : () => workOnPull(context, claim, stopping);
}

async function workOnPull(context: Context, claim: Claim, stopping: AbortSignal): Promise<void> {
  const heartbeat = setInterval(() => renew(context, claim), LEASE_MS / 3);
  try {
    await drain(context, claim, stopping);
  } finally {
    clearInterval(heartbeat);
    await context.store.release(claim);
  }
}

function renew(context: Context, claim: Claim): void {
  context.store
    .renew(claim, context.clock.now(), LEASE_MS)
    .catch((error: unknown) => context.log.warn({ err: error }, 'a lease could not be renewed'));
}

async function claimEffect(context: Context, name: string, stopping: AbortSignal): Promise<Work | null> {
  const stored = await context.store.claimEffect(name, context.clock.now(), LONG_LEASE_MS);
  return stored === null ? null : () => takeEffect(context, stored, stopping, UNCLAIMED);
}

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
