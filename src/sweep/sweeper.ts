import type { Counter } from '../telemetry/metrics.ts';
import { type Clock, GitHubFault } from '../worker/ports.ts';
import { beatRegularly } from './heartbeat.ts';
import { newMemory } from './memory.ts';
import { EVERY_MS, GO_ON_MS, type SweepResult, sweep } from './sweep.ts';
import type { SweepOptions } from './sweep-options.ts';

export type SweeperOptions = Omit<SweepOptions, 'now'> & {
  readonly clock: Clock;
  /** Counts sweeps by what they came to. */
  readonly sweeps: Counter<'result'>;
};

/** Looks for lost webhooks, at once and then again and again. */
export type Sweeper = {
  /** True while it is at it or about to begin. */
  busy(): boolean;
  /** Begins nothing more and waits for the request that is under way, at most this long (ms). */
  stop(graceMs: number): Promise<void>;
};

/** How often it is asked what time it is; sweeps themselves are minutes apart. */
const TICK_MS = 1_000;
/** Where another process was at it, or something failed that may pass. */
const AGAIN_MS = 60_000;
/** GitHub's words for a server that keeps no such log, or lets this App not see it. */
const REFUSED: readonly (number | null)[] = [403, 404];

export function startSweeper(options: SweeperOptions): Sweeper {
  const { clock, log, sweeps } = options;
  const stopping = new AbortController();
  const memory = newMemory();
  let due = clock.now();
  let underWay: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      const result = await sweep(memory, { ...options, now: clock.now }, stopping.signal);
      due = clock.now() + pauseAfter(result);
      if (result !== 'elsewhere') sweeps.add({ result });
    } catch (error) {
      due = fails(error);
    }
  }

  function fails(error: unknown): number {
    const fault = error instanceof GitHubFault ? error : null;
    if (fault !== null && fault.retryAt === null && REFUSED.includes(fault.status)) {
      log.warn({ err: error }, 'GitHub does not show its log of deliveries; what is lost stays lost until a restart');
      sweeps.add({ result: 'refused' });
      return Number.POSITIVE_INFINITY;
    }
    log.warn({ err: error }, 'looking for lost deliveries failed; it goes on later');
    sweeps.add({ result: 'failed' });
    return Math.max(clock.now() + AGAIN_MS, fault?.retryAt ?? 0);
  }

  const isDue = (): boolean => !stopping.signal.aborted && clock.now() >= due;
  const tick = (): void => {
    if (underWay !== null || !isDue()) return;
    underWay = run().finally(() => {
      underWay = null;
    });
  };
  const stopBeating = beatRegularly(options.heartbeat, clock);
  const stopTicking = clock.every(TICK_MS, tick);
  tick();
  return {
    busy: () => underWay !== null || isDue(),
    async stop(graceMs) {
      stopping.abort();
      stopTicking();
      stopBeating();
      await Promise.race([underWay, after(graceMs)]);
    },
  };
}

function pauseAfter(result: SweepResult): number {
  switch (result) {
    case 'elsewhere':
      return AGAIN_MS;
    case 'done':
      return EVERY_MS;
    case 'unfinished':
      return GO_ON_MS;
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
