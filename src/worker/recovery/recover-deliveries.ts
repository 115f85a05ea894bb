import type { RecoveryTurn, Store } from '../../adapters/store/store.ts';
import { CATCH_UP_INTERVAL_MS } from '../../core/step/effects.ts';
import {
  CLOCK_SLACK_MS,
  continueScan,
  createScan,
  findLostDeliveries,
  hasTooManyAcknowledged,
  isReplacedByCatchUp,
  type LogScan,
  type RecoveryMemory,
  type RequestAllowance,
  resetMemory,
  scannedAttempts,
  scanRange,
  scanStart,
  shortenScan,
} from './delivery-log.ts';
import type { Heartbeat } from './heartbeat.ts';
import { type BacklogOptions, dropStored, processBacklog, type RecoveredUntil } from './process-backlog.ts';

/** The services of a recovery run. */
export type RecoveryOptions = BacklogOptions & {
  readonly store: Pick<Store, 'beginRecovery' | 'endRecovery' | 'scheduleCatchUps'>;
  readonly heartbeat: Heartbeat;
  readonly now: () => number;
  /** The current time of GitHub (ms), estimated from its responses. */
  readonly githubTime: () => number;
};

/** `elsewhere` means that another process has the turn or has just had it. */
export type RecoveryResult = 'done' | 'unfinished' | 'elsewhere';

/** Interval of recovery runs across all processes (ms): the longest delay of a reply to a lost comment. */
export const RECOVERY_INTERVAL_MS = 5 * 60_000;

/** Pause before an unfinished run continues (ms). It keeps the requests below GitHub's limit of 5,000 per hour. */
export const CONTINUE_AFTER_MS = 3 * 60_000;

/** Requests are sent one at a time. */
export const MAX_REQUESTS_PER_RUN = 200;

/**
 * One recovery run: scans GitHub's delivery log back to the end of the last run, and handles lost deliveries in
 * GitHub's order. Rejects with an error of GitHub or the store. Deliveries that were read before the error are handled,
 * and the next run continues after them.
 */
export async function recoverLostDeliveries(
  memory: RecoveryMemory,
  options: RecoveryOptions,
  stopping: AbortSignal,
): Promise<RecoveryResult> {
  const { store, now } = options;
  // The heartbeat can open a gap, which `beginRecovery` returns.
  await options.heartbeat();
  await releasePreviousTurn(memory, options);
  const turn = await store.beginRecovery(now(), RECOVERY_INTERVAL_MS, !memory.hasBegunRun);
  if (turn === null) return 'elsewhere';
  memory.hasBegunRun = true;
  if (turn.gap !== null && turn.gap.until !== memory.gapUntil) resetMemory(memory, turn.gap);
  else dropReached(memory, turn);
  const allowance: RequestAllowance = { remaining: MAX_REQUESTS_PER_RUN };
  const recoveredUntil: RecoveredUntil = { until: null };
  let done = false;
  try {
    if (memory.backlog.length === 0) await scanLog(memory, turn, options, allowance);
    memory.backlog = await dropStored(memory.backlog, options.store);
    await replaceByCatchUp(memory, options);
    await processBacklog(memory, recoveredUntil, options, allowance, stopping);
    done = memory.backlog.length === 0 && memory.scan === null;
  } finally {
    const progress = { until: recoveredUntil.until, gap: memory.lastScan?.gap ?? null };
    const nextRunAt = now() + (done ? RECOVERY_INTERVAL_MS : CONTINUE_AFTER_MS);
    memory.unreleasedTurn = { turn, nextRunAt };
    await store.endRecovery(turn, progress, nextRunAt);
    memory.unreleasedTurn = null;
  }
  return done ? 'done' : 'unfinished';
}

/** Reports no progress, because the database might have been restored since. The next run keeps its time. */
async function releasePreviousTurn(memory: RecoveryMemory, { store }: RecoveryOptions): Promise<void> {
  if (memory.unreleasedTurn === null) return;
  const { turn, nextRunAt } = memory.unreleasedTurn;
  await store.endRecovery(turn, { until: null, gap: null }, nextRunAt);
  memory.unreleasedTurn = null;
}

/** Drops what a scan of this turn would no longer list, because another process has reached it since. */
function dropReached(memory: RecoveryMemory, turn: RecoveryTurn): void {
  const since = scanStart(turn);
  memory.backlog = memory.backlog.filter(({ deliveredAt }) => deliveredAt >= since);
  if (memory.scan !== null) memory.scan = shortenScan(memory.scan, since);
}

/** Scans the log within the allowance. Its end, perhaps in a later run, fills the backlog. */
async function scanLog(
  memory: RecoveryMemory,
  turn: RecoveryTurn,
  options: RecoveryOptions,
  allowance: RequestAllowance,
): Promise<void> {
  memory.scan ??= await beginScan(memory, turn, options);
  const { scan } = memory;
  if (!(await continueScan(scan, options.deliveries, allowance))) return;
  const attempts = scannedAttempts(scan);
  const active = await options.store.listActivePulls();
  const lost = findLostDeliveries(attempts, new Set(active.map(({ repositoryId }) => repositoryId)));
  memory.backlog = lost.filter(({ guid }) => !memory.handled.has(guid));
  memory.handled = new Set(attempts.map(({ guid }) => guid).filter((guid) => memory.handled.has(guid)));
  memory.lastScan = { until: scan.startedAt, gap: scan.gap };
  memory.scan = null;
}

/** If GitHub no longer keeps all needed deliveries, active pull requests catch up first. */
async function beginScan(memory: RecoveryMemory, turn: RecoveryTurn, options: RecoveryOptions): Promise<LogScan> {
  const startedAt = options.githubTime();
  const { all, kept } = scanRange(turn, startedAt);
  const neededSince = turn.recoveredUntil === null ? all : scanStart(turn);
  if (neededSince !== null && neededSince < kept) await scheduleCatchUp(memory, neededSince, options);
  return createScan(turn, startedAt);
}

/** Replaces hundreds of deliveries by a catch-up on each active pull request. Other events stay in the backlog. */
async function replaceByCatchUp(memory: RecoveryMemory, options: RecoveryOptions): Promise<void> {
  const { backlog, lastScan } = memory;
  if (lastScan === null || lastScan.gap === null || !hasTooManyAcknowledged(backlog)) return;
  await scheduleCatchUp(memory, lastScan.gap.since - CLOCK_SLACK_MS, options);
  memory.backlog = backlog.filter((lost) => !isReplacedByCatchUp(lost));
}

/** Schedules a catch-up on each active pull request: its comments are read instead of the log. Once per `since`. */
async function scheduleCatchUp(
  memory: RecoveryMemory,
  since: number,
  { store, now, log }: RecoveryOptions,
): Promise<void> {
  if (memory.catchUpSince === since) return;
  const pulls = await store.scheduleCatchUps(new Date(since).toISOString(), now(), CATCH_UP_INTERVAL_MS);
  memory.catchUpSince = since;
  log.warn({ pulls }, 'too many or too old lost webhooks, catching up on each active pull request');
}
