import { createFault } from '../../adapters/telemetry/fault.ts';
import type { Counter } from '../../adapters/telemetry/metrics.ts';
import { type Clock, GitHubError } from '../../core/step/ports.ts';
import { delay } from '../../lib/delay.ts';
import { createRecoveryMemory } from './delivery-log.ts';
import { startHeartbeat } from './heartbeat.ts';
import {
  CONTINUE_AFTER_MS,
  RECOVERY_INTERVAL_MS,
  type RecoveryOptions,
  type RecoveryResult,
  recoverLostDeliveries,
} from './recover-deliveries.ts';

type StartRecoveryOptions = Omit<RecoveryOptions, 'now'> & {
  readonly clock: Clock;
  /** Counts recovery runs by result. */
  readonly recoveryRuns: Counter<'result'>;
};

/** Starts recovery runs at regular intervals. */
export type RecoveryLoop = {
  /** True during a run, or if one is due. */
  isBusy(): boolean;
  /** Starts no more runs and waits up to `graceMs` for the request in progress. */
  stop(graceMs: number): Promise<void>;
};

/** How often to check whether a run is due. */
const TICK_MS = 1_000;

/** Pause after an error, or while another process has the turn. */
const RETRY_AFTER_MS = 60_000;

/** Responses of a server without a delivery log, or one that the App cannot read. */
const REFUSED_STATUSES: readonly (number | null)[] = [403, 404];

/** Starts the first run at once. */
export function startRecovery(options: StartRecoveryOptions): RecoveryLoop {
  const { clock, log, recoveryRuns } = options;
  const stopping = new AbortController();
  const memory = createRecoveryMemory();
  const fault = createFault({
    level: 'warn',
    message: 'recovery of lost deliveries failed, will retry',
    endMessage: 'recovery of lost deliveries works again',
  });
  let dueAt = clock.now();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      const result = await recoverLostDeliveries(memory, { ...options, now: clock.now }, stopping.signal);
      dueAt = clock.now() + PAUSE_AFTER_MS[result];
      fault.ended(log);
      if (result !== 'elsewhere') recoveryRuns.inc({ result });
    } catch (error) {
      dueAt = nextRunAfter(error);
    }
  }

  function nextRunAfter(error: unknown): number {
    const gitHubError = error instanceof GitHubError ? error : null;
    if (gitHubError !== null && gitHubError.retryAt === null && REFUSED_STATUSES.includes(gitHubError.status)) {
      log.warn({ err: error }, 'GitHub does not show its delivery log, recovery is off until a restart');
      recoveryRuns.inc({ result: 'refused' });
      return Number.POSITIVE_INFINITY;
    }
    fault.failed(log, error);
    recoveryRuns.inc({ result: 'failed' });
    return Math.max(clock.now() + RETRY_AFTER_MS, gitHubError?.retryAt ?? 0);
  }

  const isDue = (): boolean => !stopping.signal.aborted && clock.now() >= dueAt;
  const tick = (): void => {
    if (running !== null || !isDue()) return;
    running = run().finally(() => {
      running = null;
    });
  };
  const stopHeartbeat = startHeartbeat(options.heartbeat, clock);
  const stopTicking = clock.every(TICK_MS, tick);
  tick();
  return {
    isBusy: () => running !== null || isDue(),
    async stop(graceMs) {
      stopping.abort();
      stopTicking();
      stopHeartbeat();
      await Promise.race([running, delay(graceMs)]);
    },
  };
}

const PAUSE_AFTER_MS: Readonly<Record<RecoveryResult, number>> = {
  elsewhere: RETRY_AFTER_MS,
  done: RECOVERY_INTERVAL_MS,
  unfinished: CONTINUE_AFTER_MS,
};
