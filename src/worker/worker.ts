import type { DueTimes, WorkHint } from '../adapters/store/store.ts';
import { delay } from '../lib/delay.ts';
import type { WorkerContext } from './jobs/job.ts';
import { knownPullFields, logRetry } from './jobs/job-log.ts';
import { type ClaimedWork, claimNextEffect, claimNextPull } from './process-pull.ts';
import { type Lane, type WorkAmounts, WorkHints, WorkPool } from './work-pool.ts';

type WorkerOptions = {
  /** Identifies this worker in claims; unique among processes. */
  readonly name: string;
  /** Pull requests that are processed at the same time. */
  readonly maxPulls: number;
  /** Effects without a claim that are performed at the same time. */
  readonly maxEffects: number;
  /** How often to look for due work without a notification (ms). This finds the work of a process that died. */
  readonly pollIntervalMs: number;
};

const DEFAULT_WORKER_OPTIONS = { maxPulls: 4, maxEffects: 8, pollIntervalMs: 800 } as const;

/** A running worker. */
export type Worker = {
  /** Looks for work at once. */
  wake(): void;
  isRunning(): boolean;
  /** Whether work is in progress, or due within `SOON_MS`. Later work, such as an expiry, can still be stored. */
  isBusy(): boolean;
  /** Takes no more work and waits up to `graceMs` for work in progress; the next process resumes the rest. */
  stop(graceMs: number): Promise<void>;
};

/** Starts the loop that handles signals and performs effects. */
export function startWorker(
  context: WorkerContext,
  options: Pick<WorkerOptions, 'name'> & Partial<WorkerOptions>,
): Worker {
  const stopping = new AbortController();
  const loop = createLoop(context, { ...DEFAULT_WORKER_OPTIONS, ...options }, stopping.signal);
  const { hints, pollTimer } = loop;
  const onHint = (hint: WorkHint | null): void => {
    hints.addHint(hint);
    pollTimer.wake();
  };
  const unsubscribe = context.store.onWorkAvailable(onHint);
  const loopEnded = runLoop(loop);
  return {
    wake: () => onHint(null),
    isRunning: () => !stopping.signal.aborted,
    isBusy() {
      const isResting = isIdle(loop) && loop.idle.wakeCount === pollTimer.wakeCount;
      return !isResting || loop.idle.until <= context.clock.now() + SOON_MS;
    },
    async stop(graceMs) {
      stopping.abort();
      pollTimer.wake();
      unsubscribe();
      await Promise.race([loopEnded, delay(graceMs)]);
    },
  };
}

/** The state of the loop. */
type WorkerLoop = {
  readonly context: WorkerContext;
  readonly pools: Readonly<Record<Lane, WorkPool>>;
  readonly hints: WorkHints;
  readonly pollTimer: PollTimer;
  readonly pollIntervalMs: number;
  readonly stopping: AbortSignal;
  /** Result of the last look for work: none starts before `until` (ms), unless `wakeCount` has changed since. */
  idle: { readonly until: number; readonly wakeCount: number };
};

/** Shortest pause between two looks for work, so that an overdue time cannot spin the loop. */
const MIN_PAUSE_MS = 20;

/** Work that is due within this time makes the worker busy: the first retries, but no reminders and expiries. */
const SOON_MS = 1_500;

function createLoop(context: WorkerContext, options: WorkerOptions, stopping: AbortSignal): WorkerLoop {
  const { name, maxPulls, maxEffects, pollIntervalMs } = options;
  const [hints, pollTimer] = [new WorkHints(), new PollTimer()];
  const createPool = (lane: Lane, limit: number, claim: () => Promise<ClaimedWork | null>): WorkPool =>
    new WorkPool({
      limit,
      claim: () => logFailure(context, claim),
      run: async (work) => void (await logFailure(context, work, work.pullRequestKey)),
      onEnded(wasFull) {
        hints.workEnded(lane, wasFull, context.clock.now());
        pollTimer.wake();
      },
    });
  const worker = { context, workerName: name, stopping };
  const pools = {
    exclusive: createPool('exclusive', maxPulls, () => claimNextPull(worker)),
    concurrent: createPool('concurrent', maxEffects, () => claimNextEffect(worker)),
  };
  return { context, pools, hints, pollTimer, pollIntervalMs, stopping, idle: { until: 0, wakeCount: -1 } };
}

async function runLoop(loop: WorkerLoop): Promise<void> {
  const { context, pools, hints, pollTimer, pollIntervalMs, stopping } = loop;
  const { now } = context.clock;
  while (!stopping.aborted) {
    const { wakeCount } = pollTimer;
    const hinted = hints.takeHints();
    if (hinted !== null) {
      if (await startWork(loop, hinted)) continue;
      // Another worker was faster, so our knowledge of the due times is outdated.
      hints.requestLook(now());
    }
    if (hints.shouldLook(now(), isIdle(loop)) && (await startDueWork(loop, wakeCount))) {
      hints.requestLook(now());
      continue;
    }
    const pauseMs = Math.max(MIN_PAUSE_MS, Math.min(loop.idle.until, hints.nextLookAt()) - now());
    await pollTimer.wait(Math.min(pollIntervalMs, pauseMs), wakeCount);
    if (wakeCount === pollTimer.wakeCount) hints.requestLook();
  }
  await Promise.all([pools.exclusive.whenIdle(), pools.concurrent.whenIdle()]);
}

function isIdle({ pools }: WorkerLoop): boolean {
  return pools.exclusive.isIdle && pools.concurrent.isIdle;
}

/** Starts due work up to the limits of the pools. Returns false if none was started, and notes when the next is due. */
async function startDueWork(loop: WorkerLoop, wakeCount: number): Promise<boolean> {
  const { context, pools, hints, pollIntervalMs } = loop;
  const { now } = context.clock;
  hints.lookStarted();
  const due = await logFailure(context, () => context.store.nextDue(now()));
  if (due !== null && (await startWork(loop, amountsDueBy(due, now())))) return true;
  loop.idle = { until: due === null ? now() + pollIntervalMs : nextStartAt(pools, due), wakeCount };
  return false;
}

/** Starts up to `max` work in each lane; false if none was available. */
async function startWork({ pools, stopping }: WorkerLoop, max: WorkAmounts): Promise<boolean> {
  const started = await Promise.all([
    pools.exclusive.startWork(stopping, max.exclusive),
    pools.concurrent.startWork(stopping, max.concurrent),
  ]);
  return started.includes(true);
}

/** The due times do not count the work, so the amount in a lane is either zero or unlimited. */
function amountsDueBy({ exclusive, concurrent }: DueTimes, now: number): WorkAmounts {
  const amount = (at: number | null): number => (at !== null && at <= now ? Number.POSITIVE_INFINITY : 0);
  return { exclusive: amount(exclusive), concurrent: amount(concurrent) };
}

/** The next due time (ms) of a pool with capacity. The end of its own work wakes a full pool. */
function nextStartAt(pools: WorkerLoop['pools'], due: DueTimes): number {
  const exclusive = pools.exclusive.hasCapacity ? due.exclusive : null;
  const concurrent = pools.concurrent.hasCapacity ? due.concurrent : null;
  return Math.min(exclusive ?? Number.POSITIVE_INFINITY, concurrent ?? Number.POSITIVE_INFINITY);
}

/** Returns null after a failure: one failing pull request must not end the loop for all others. */
async function logFailure<T>(
  context: WorkerContext,
  work: () => Promise<T>,
  pullRequestKey: string | null = null,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const fields = pullRequestKey === null ? {} : knownPullFields(context, pullRequestKey);
    logRetry(context, { log: context.log, level: 'error', message: 'work failed, will retry' }, error, fields);
    return null;
  }
}

/** A timer that `wake` can end early. Calls of `wake` between two waits are not lost. */
export class PollTimer {
  readonly #sleepers = new Set<() => void>();
  #wakeCount = 0;

  /** Number of `wake` calls. Read it before looking for work, and pass it to `wait`. */
  get wakeCount(): number {
    return this.#wakeCount;
  }

  wake(): void {
    this.#wakeCount += 1;
    for (const wakeUp of this.#sleepers) wakeUp();
  }

  /** Resolves after `ms` or at the next `wake`; at once if `wakeCount` is outdated. */
  wait(ms: number, wakeCount: number): Promise<void> {
    if (wakeCount !== this.#wakeCount) return Promise.resolve();
    return new Promise((resolve) => {
      const wakeUp = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, ms);
      this.#sleepers.add(wakeUp);
    });
  }
}
