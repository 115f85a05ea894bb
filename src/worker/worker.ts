import type { WorkKind } from '../adapters/store/store.ts';
import { delay } from '../lib/delay.ts';
import type { WorkerContext } from './jobs/job.ts';
import { knownPullFields, logRetry } from './jobs/job-log.ts';
import { type ClaimedWork, claimNextEffect, claimNextPull } from './process-pull.ts';

/** Pull requests that are processed at the same time. */
const MAX_PULLS = 4;

/** Effects without a claim that are performed at the same time. */
const MAX_EFFECTS = 8;

/** How often to look for due work (ms). This finds the work that another process stored, or left when it died. */
const POLL_INTERVAL_MS = 800;

/** Shortest pause between two looks for work, so that an overdue time cannot spin the loop. */
const MIN_PAUSE_MS = 20;

/** Work that is due within this time makes the worker busy: the first retries, but no reminders and expiries. */
const SOON_MS = 1_500;

/** A running worker. */
export type Worker = {
  isRunning(): boolean;
  /** Whether work is in progress, or due within `SOON_MS`. Later work, such as an expiry, can still be stored. */
  isBusy(): boolean;
  /** Takes no more work and waits up to `graceMs` for work in progress; the next process resumes the rest. */
  stop(graceMs: number): Promise<void>;
};

/** A loop that claims one kind of work. */
type Lane = {
  readonly kind: WorkKind;
  readonly pool: WorkPool;
  readonly alarm: Alarm;
  /** Result of the last look for due work: none is due before `until` (ms), unless `wakeCount` has changed. */
  idle: { readonly until: number; readonly wakeCount: number };
  /** When a busy lane asks again, by the monotonic clock. */
  asksAt: number;
};

/** Between the time that work is due and the next look. */
const NOT_IDLE: Lane['idle'] = { until: Number.POSITIVE_INFINITY, wakeCount: -1 };

/** Starts the loops that handle signals and perform effects. */
export function startWorker(context: WorkerContext): Worker {
  const stopping = new AbortController();
  const claiming = { context, stopping: stopping.signal };
  const lanes: { readonly [Kind in WorkKind]: Lane } = {
    pull: createLane('pull', context, MAX_PULLS, () => claimNextPull(claiming)),
    effect: createLane('effect', context, MAX_EFFECTS, () => claimNextEffect(claiming)),
  };
  const unsubscribe = context.store.onWorkAvailable((kind, atMost) => {
    lanes[kind].pool.announce(atMost);
    lanes[kind].alarm.wake();
  });
  const loopsEnded = Promise.all(Object.values(lanes).map((lane) => runLane(context, lane, stopping.signal)));
  return {
    isRunning: () => !stopping.signal.aborted,
    isBusy() {
      const soon = context.clock.now() + SOON_MS;
      return Object.values(lanes).some((lane) => !isResting(lane) || lane.idle.until <= soon);
    },
    async stop(graceMs) {
      stopping.abort();
      for (const { alarm } of Object.values(lanes)) alarm.wake();
      unsubscribe();
      await Promise.race([loopsEnded, delay(graceMs)]);
    },
  };
}

function createLane(
  kind: WorkKind,
  context: WorkerContext,
  limit: number,
  claim: () => Promise<ClaimedWork | null>,
): Lane {
  const alarm = new Alarm();
  const pool = new WorkPool({
    limit,
    claim: () => logFailure(context, claim),
    run: async (work) => void (await logFailure(context, work, work.pullRequestKey)),
    onEnded() {
      lane.asksAt = 0;
      alarm.wake();
    },
  });
  const lane: Lane = { kind, pool, alarm, idle: { until: 0, wakeCount: -1 }, asksAt: 0 };
  return lane;
}

/**
 * Claims announced work. Asks when other work is due after work ends and every `POLL_INTERVAL_MS`, because that work was
 * left for later, or comes from another process.
 */
async function runLane(context: WorkerContext, lane: Lane, stopping: AbortSignal): Promise<void> {
  const { kind, pool, alarm } = lane;
  while (!stopping.aborted) {
    const { wakeCount } = alarm;
    if (lane.idle.until <= context.clock.now()) {
      pool.announce(Number.POSITIVE_INFINITY);
      lane.idle = NOT_IDLE;
    }
    await pool.fill(stopping);
    const asks = pool.isIdle || (!pool.isFull && performance.now() >= lane.asksAt);
    if (asks && wakeCount === alarm.wakeCount) {
      lane.asksAt = performance.now() + POLL_INTERVAL_MS;
      const due = await logFailure(context, () => context.store.nextDue(kind));
      lane.idle = { until: due ?? Number.POSITIVE_INFINITY, wakeCount };
    }
    const pauseMs = Math.max(MIN_PAUSE_MS, lane.idle.until - context.clock.now());
    await alarm.sleep(Math.min(pauseMs, POLL_INTERVAL_MS), wakeCount);
  }
  await pool.whenIdle();
}

function isResting({ pool, alarm, idle }: Lane): boolean {
  return pool.isIdle && idle.wakeCount === alarm.wakeCount;
}

/**
 * Returns null after a failure: one failing pull request must not end the loop for all others. The pause keeps a
 * failing database from being asked without an end.
 */
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
    await delay(POLL_INTERVAL_MS);
    return null;
  }
}

type WorkPoolOptions = {
  /** Maximum amount of work in progress. */
  readonly limit: number;
  /** Claims the next due work; null if there is none. */
  readonly claim: () => Promise<ClaimedWork | null>;
  /** Performs claimed work. Never rejects. */
  readonly run: (work: ClaimedWork) => Promise<void>;
  /** Called when work ends: its place is free, and it might have left other work. */
  readonly onEnded: () => void;
};

/** Work in progress, with a limit. */
class WorkPool {
  readonly #options: WorkPoolOptions;
  readonly #inProgress = new Set<Promise<void>>();
  /** How much due work there is at most that nobody has claimed. */
  #announced = 0;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#inProgress.size === 0;
  }

  get isFull(): boolean {
    return this.#inProgress.size >= this.#options.limit;
  }

  announce(atMost: number): void {
    this.#announced += atMost;
  }

  /** Claims and starts announced work until none is left or the limit is reached. */
  async fill(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.#announced > 0 && !this.isFull) {
      const announced = this.#announced;
      // Counts the work that is announced during the claim.
      this.#announced = 0;
      const work = await this.#options.claim();
      if (work === null) continue;
      this.#announced += announced - 1;
      this.#start(work);
    }
  }

  #start(work: ClaimedWork): void {
    const running = this.#options.run(work).finally(() => {
      this.#inProgress.delete(running);
      this.#options.onEnded();
    });
    this.#inProgress.add(running);
  }

  /** Resolves once all work in progress has ended. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inProgress);
  }
}

/** A pause that `wake` can end early. Calls of `wake` between two pauses are not lost. */
class Alarm {
  #sleeper: (() => void) | null = null;
  #wakeCount = 0;

  /** Number of `wake` calls. Read it before looking for work, and pass it to `sleep`. */
  get wakeCount(): number {
    return this.#wakeCount;
  }

  wake(): void {
    this.#wakeCount += 1;
    this.#sleeper?.();
  }

  /** Resolves after `ms` or at the next `wake`; at once if `wakeCount` is outdated. */
  sleep(ms: number, wakeCount: number): Promise<void> {
    if (wakeCount !== this.#wakeCount) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#sleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
