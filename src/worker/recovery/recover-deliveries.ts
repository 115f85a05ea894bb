import type { GapWindow, RecoveryTurn, Store } from '../../adapters/store/store.ts';
import type { Logger } from '../../adapters/telemetry/log.ts';
import type { Counter } from '../../adapters/telemetry/metrics.ts';
import { CATCH_UP_INTERVAL_MS } from '../../core/state/effects.ts';
import { type DeliveryEvent, type DeliveryLog, GitHubError } from '../../core/state/ports.ts';
import {
  CLOCK_SLACK_MS,
  continueScan,
  type LogScan,
  type RequestAllowance,
  scannedAttempts,
  scanRange,
  startScan,
  useRequest,
} from './delivery-log.ts';
import type { Heartbeat } from './heartbeat.ts';
import {
  type ActivePull,
  type CurrentTextReader,
  findLost,
  hasTooManyAcknowledged,
  isFoundByCatchUp,
  type LostDelivery,
  shouldRecover,
} from './lost-deliveries.ts';

/** The services of a recovery run. */
export type RecoveryOptions = {
  readonly deliveries: DeliveryLog;
  readonly store: Pick<
    Store,
    'beginRecovery' | 'endRecovery' | 'findKnownDeliveries' | 'listActivePulls' | 'scheduleCatchUps'
  >;
  readonly heartbeat: Heartbeat;
  readonly withCurrentText: CurrentTextReader;
  /** Stores a delivery like one that GitHub sends, and returns its outcome. */
  readonly handleDelivery: (event: DeliveryEvent) => Promise<string>;
  readonly now: () => number;
  /** The current time of GitHub (ms), estimated from its responses. */
  readonly githubTime: () => number;
  readonly log: Logger;
  /** Counts recovered webhooks by event and outcome. */
  readonly recoveredDeliveries: Counter<'event' | 'outcome'>;
};

/** `elsewhere` means that another process has the turn or has just had it. */
export type RecoveryResult = 'done' | 'unfinished' | 'elsewhere';

/** Interval of recovery runs across all processes: the longest delay of a reply to a lost comment. */
export const RECOVERY_INTERVAL_MS = 5 * 60_000;

/** Pause before an unfinished run continues. It keeps the requests below GitHub's limit of 5,000 per hour. */
export const CONTINUE_AFTER_MS = 3 * 60_000;

/** Requests are sent one at a time. */
export const MAX_REQUESTS_PER_RUN = 200;

/**
 * Reads GitHub's delivery log back to the end of the last run, and handles lost webhooks in GitHub's order. Rejects
 * with an error of GitHub or the store; webhooks that were read before are handled, and the next run continues after
 * them.
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
  const turn = await store.beginRecovery(now(), RECOVERY_INTERVAL_MS, !memory.caughtUp);
  if (turn === null) return 'elsewhere';
  if (turn.gap !== null && turn.gap.until !== memory.gapUntil) resetMemory(memory, turn.gap);
  const allowance: RequestAllowance = { remaining: MAX_REQUESTS_PER_RUN };
  const recoveredUntil: RecoveredUntil = { until: null };
  let done = false;
  try {
    if (memory.backlog.length === 0) await scanLog(memory, turn, options, allowance);
    memory.backlog = await withoutKnown(memory.backlog, options.store);
    await replaceByCatchUp(memory, options);
    await processBacklog(memory, recoveredUntil, options, allowance, stopping);
    done = memory.backlog.length === 0 && memory.scan === null;
  } finally {
    const progress = { until: recoveredUntil.until, gap: memory.lastScan?.gap ?? null };
    memory.unreleasedTurn = turn;
    await store.endRecovery(turn, progress, now() + (done ? RECOVERY_INTERVAL_MS : CONTINUE_AFTER_MS));
    memory.unreleasedTurn = null;
  }
  memory.caughtUp ||= done;
  return done ? 'done' : 'unfinished';
}

/** State of a process between runs. After a restart it is rebuilt from GitHub's log and the store. */
type RecoveryMemory = {
  /** Whether a run has finished. Until then the process can start a run early. */
  caughtUp: boolean;
  /** Start (GitHub's time, ms) of the last scheduled catch-up; null before the first. */
  caughtUpSince: number | null;
  /** End (GitHub's time, ms) of the latest gap; null before the first. */
  gapUntil: number | null;
  scan: LogScan | null;
  /** Lost webhooks that are not read yet, oldest first. */
  backlog: readonly LostDelivery[];
  /** The scan that produced the backlog; `until` is GitHub's time (ms). Null before the first. */
  lastScan: { readonly until: number; readonly gap: GapWindow | null } | null;
  /** A turn that could not be released during a database outage. It blocks all processes until then. */
  unreleasedTurn: RecoveryTurn | null;
  /** GUIDs of handled webhooks that are still in the log. */
  handled: Set<string>;
  /** The webhook that could not be read in the last run, with the number of attempts. */
  stuck: { readonly guid: string; readonly attempts: number } | null;
};

export function createRecoveryMemory(): RecoveryMemory {
  return {
    caughtUp: false,
    caughtUpSince: null,
    gapUntil: null,
    scan: null,
    backlog: [],
    lastScan: null,
    unreleasedTurn: null,
    handled: new Set(),
    stuck: null,
  };
}

/** A new gap means that a backup might have been restored, without the webhooks handled since. */
function resetMemory(memory: RecoveryMemory, { until }: GapWindow): void {
  const { caughtUp, stuck } = memory;
  Object.assign(memory, { ...createRecoveryMemory(), caughtUp, stuck, gapUntil: until });
}

/** Reports no progress, because the database might have been restored since. */
async function releasePreviousTurn(memory: RecoveryMemory, { store, now }: RecoveryOptions): Promise<void> {
  if (memory.unreleasedTurn === null) return;
  await store.endRecovery(memory.unreleasedTurn, { until: null, gap: null }, now());
  memory.unreleasedTurn = null;
}

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
  const lost = findLost(attempts, new Set(active.map(({ repositoryId }) => repositoryId)));
  memory.backlog = lost.filter(({ guid }) => !memory.handled.has(guid));
  memory.handled = new Set(attempts.map(({ guid }) => guid).filter((guid) => memory.handled.has(guid)));
  memory.lastScan = { until: scan.startedAt, gap: scan.gap };
  memory.scan = null;
}

async function beginScan(memory: RecoveryMemory, turn: RecoveryTurn, options: RecoveryOptions): Promise<LogScan> {
  const startedAt = options.githubTime();
  const { failed, all, kept } = scanRange(turn, startedAt);
  const neededSince = turn.recoveredUntil === null ? all : Math.min(failed, all ?? failed);
  if (neededSince !== null && neededSince < kept) await scheduleCatchUp(memory, neededSince, options);
  return startScan(turn, startedAt);
}

/** Replaces thousands of webhooks by a catch-up on each active pull request. Other events stay in the backlog. */
async function replaceByCatchUp(memory: RecoveryMemory, options: RecoveryOptions): Promise<void> {
  const { backlog, lastScan } = memory;
  if (lastScan === null || lastScan.gap === null || !hasTooManyAcknowledged(backlog)) return;
  await scheduleCatchUp(memory, lastScan.gap.since - CLOCK_SLACK_MS, options);
  memory.backlog = backlog.filter((lost) => !isFoundByCatchUp(lost));
}

/** Reads the comments of active pull requests instead of the log, once per gap. */
async function scheduleCatchUp(
  memory: RecoveryMemory,
  since: number,
  { store, now, log }: RecoveryOptions,
): Promise<void> {
  if (memory.caughtUpSince === since) return;
  const pulls = await store.scheduleCatchUps(new Date(since).toISOString(), now(), CATCH_UP_INTERVAL_MS);
  memory.caughtUpSince = since;
  log.warn({ pulls }, 'too many or too old lost webhooks, catching up on each active pull request');
}

/** A lost webhook; `event` is null if there is nothing to handle. */
type ReadDelivery = { readonly lost: LostDelivery; readonly event: DeliveryEvent | null; readonly outcome: string };

/** GitHub's time (ms) up to which no webhook is missing; null if unknown. */
type RecoveredUntil = { until: number | null };

/** Failed runs before an unreadable webhook is skipped, so that it does not block the others. */
const MAX_READ_ATTEMPTS = 3;

const MAX_IDS_PER_QUERY = 1_000;

/**
 * Reads webhooks within the allowance, and only then handles them, in order and without a pause: otherwise an approval
 * could take effect before the denial that followed it is stored.
 */
async function processBacklog(
  memory: RecoveryMemory,
  recoveredUntil: RecoveredUntil,
  options: RecoveryOptions,
  allowance: RequestAllowance,
  stopping: AbortSignal,
): Promise<void> {
  const { read, error } = await readBacklog(memory, options, allowance, stopping);
  for (const { lost, event, outcome } of read) {
    const result = event === null ? outcome : await options.handleDelivery(event);
    options.recoveredDeliveries.inc({ event: lost.event, outcome: result });
    memory.handled.add(lost.guid);
    memory.backlog = memory.backlog.slice(1);
    recoveredUntil.until = Math.max(recoveredUntil.until ?? 0, lost.deliveredAt);
  }
  if (error !== null) throw error;
  if (memory.backlog.length > 0 || memory.scan !== null || memory.lastScan === null) return;
  recoveredUntil.until = Math.max(recoveredUntil.until ?? 0, memory.lastScan.until);
}

async function readBacklog(
  memory: RecoveryMemory,
  options: RecoveryOptions,
  allowance: RequestAllowance,
  stopping: AbortSignal,
) {
  const next = memory.backlog.slice(0, allowance.remaining);
  const active = next.some(({ acknowledged }) => acknowledged) ? await options.store.listActivePulls() : [];
  const read: ReadDelivery[] = [];
  for (const lost of next) {
    if (stopping.aborted || !useRequest(allowance)) break;
    try {
      read.push(await readDelivery(lost, options, active));
    } catch (error) {
      if (!isUnreadable(memory, lost, error)) return { read, error };
      options.log.warn({ deliveryId: lost.guid, err: error }, 'lost delivery cannot be read, skipped');
      read.push({ lost, event: null, outcome: 'unreadable' });
    }
  }
  return { read, error: null };
}

/** Drops webhooks that arrived meanwhile or were handled by another process. */
async function withoutKnown(
  lost: readonly LostDelivery[],
  store: Pick<Store, 'findKnownDeliveries'>,
): Promise<readonly LostDelivery[]> {
  const unknown: LostDelivery[] = [];
  for (let from = 0; from < lost.length; from += MAX_IDS_PER_QUERY) {
    const batch = lost.slice(from, from + MAX_IDS_PER_QUERY);
    const known = await store.findKnownDeliveries(batch.map(({ guid }) => guid));
    unknown.push(...batch.filter(({ guid }) => !known.has(guid)));
  }
  return unknown;
}

async function readDelivery(
  lost: LostDelivery,
  options: RecoveryOptions,
  active: readonly ActivePull[],
): Promise<ReadDelivery> {
  const payload = await options.deliveries.fetchPayload(lost.id);
  if (payload === null) return { lost, event: null, outcome: 'gone' };
  if (!shouldRecover(lost, payload, active)) return { lost, event: null, outcome: 'answered-before' };
  const event = await options.withCurrentText({ id: lost.guid, name: lost.event, payload });
  return { lost, event, outcome: event === null ? 'deleted-since' : 'read' };
}

/** Counts a failed attempt unless the cause is an outage or rate limit; true once the webhook should be skipped. */
function isUnreadable(memory: RecoveryMemory, { guid }: LostDelivery, error: unknown): boolean {
  if (!(error instanceof GitHubError) || error.retryAt !== null || error.status === null) return false;
  const attempts = memory.stuck?.guid === guid ? memory.stuck.attempts + 1 : 1;
  memory.stuck = { guid, attempts };
  return attempts >= MAX_READ_ATTEMPTS;
}
