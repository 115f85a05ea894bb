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
  busy(): Promise<boolean>;
  /** Takes no more work and waits for what is under way, at most this long (ms); what is left is taken up by the next process. */
  stop(graceMs: number): Promise<void>;
};

/** Something claimed, ready to be worked on. */
type Work = () => Promise<void>;

/** Longer than a model call may take. */
const LONG_LEASE_MS = 150_000;

const DEFAULTS = { pulls: 4, longEffects: 8, pollMs: 2_000 } as const;

/** Starts the loops that take signals and perform effects. */
export function startWorker(context: Context, options: Pick<WorkerOptions, 'name'> & Partial<WorkerOptions>): Worker {
  const settings = { ...DEFAULTS, ...options };
  const stopping = new AbortController();
  const wakener = new Wakener();
  let underWay = 0;
  const unsubscribe = context.store.onWake(() => wakener.wake());
  const lanes = [
    runLane(() => claimPull(context, settings.name, stopping.signal), settings.pulls),
    runLane(() => claimEffect(context, settings.name, stopping.signal), settings.longEffects),
  ];

  /** Claims and works, up to `limit` at a time; sleeps while there is nothing to claim. */
  async function runLane(claim: () => Promise<Work | null>, limit: number): Promise<void> {
    const mine = new Set<Promise<void>>();
    while (!stopping.signal.aborted) {
      const { calls } = wakener;
      const work = mine.size < limit ? await safely(context, claim) : null;
      if (work === null) await wakener.wait(await pauseMs(context, settings.pollMs), calls);
      else track(mine, carryOut(work));
    }
    await Promise.all(mine);
  }

  async function carryOut(work: Work): Promise<void> {
    underWay += 1;
    await safely(context, work);
    underWay -= 1;
    wakener.wake();
  }

  return {
    wake: () => wakener.wake(),
    running: () => !stopping.signal.aborted,
    async busy() {
      if (underWay > 0) return true;
      const due = await context.store.nextDue();
      return underWay > 0 || (due !== null && due <= context.clock.now() + SOON_MS);
    },
    async stop(graceMs) {
      stopping.abort();
      wakener.wake();
      unsubscribe();
      await Promise.race([Promise.all(lanes), after(graceMs)]);
    },
  };
}

/** Until the earliest stored work is due, but never longer than the poll. */
async function pauseMs(context: Context, pollMs: number): Promise<number> {
  const due = await context.store.nextDue().catch(() => null);
  if (due === null) return pollMs;
  return Math.min(pollMs, Math.max(MIN_PAUSE_MS, due - context.clock.now()));
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
