import { z } from 'zod';
import type { GapWindow, RecoveryTurn } from '../../adapters/store/store.ts';
import type { DeliveryLog, LoggedDelivery } from '../../core/step/ports.ts';
import { isRelevantEvent } from '../../core/webhooks/interpret.ts';

/** Number of requests that a recovery run can still send. */
export type RequestAllowance = { remaining: number };

/** Counts a request; false if none is left. */
export function useRequest(allowance: RequestAllowance): boolean {
  if (allowance.remaining === 0) return false;
  allowance.remaining -= 1;
  return true;
}

/** A scan of GitHub's delivery log. It is kept in memory and starts again after a restart. */
export type LogScan = {
  /** GitHub's time (ms) at the start of the scan. */
  readonly startedAt: number;
  /** The gap in which acknowledged attempts are scanned too; null if there is none. */
  readonly gap: GapWindow | null;
  readonly parts: readonly LogScanPart[];
};

/** One listing of the log, newest first. */
type LogScanPart = {
  readonly which: 'all' | 'failed';
  /** Older attempts are ignored (GitHub's time, ms). */
  readonly since: number;
  readonly attempts: LoggedDelivery[];
  cursor: string | null;
  complete: boolean;
};

/** How long GitHub keeps its delivery log (ms). */
const GITHUB_RETENTION_MS = 3 * 24 * 60 * 60_000;

/** Overlap of two scans (ms), because GitHub can list an attempt later than a newer one. */
const OVERLAP_MS = 10 * 60_000;

/** Longest time between a delivery and the next recorded heartbeat, including the difference of clocks (ms). */
export const CLOCK_SLACK_MS = 60_000;

/**
 * The starts of three periods (GitHub's time, ms): of the needed failed attempts, of all needed attempts (null without
 * a gap), and of the attempts that GitHub still keeps.
 */
export function scanRange(turn: RecoveryTurn, startedAt: number) {
  return { ...neededPeriods(turn), kept: startedAt - GITHUB_RETENTION_MS };
}

/** The start (GitHub's time, ms) of all that a turn needs: earlier deliveries are handled. */
export function scanStart(turn: RecoveryTurn): number {
  const { failed, all } = neededPeriods(turn);
  return Math.min(failed, all ?? failed);
}

function neededPeriods({ recoveredUntil, gap }: RecoveryTurn) {
  return { failed: (recoveredUntil ?? 0) - OVERLAP_MS, all: gap === null ? null : gap.since - CLOCK_SLACK_MS };
}

/** Creates the scan of a turn that starts at `startedAt` (GitHub's time, ms). */
export function createScan(turn: RecoveryTurn, startedAt: number): LogScan {
  const { failed, all, kept } = scanRange(turn, startedAt);
  const parts: LogScanPart[] = [];
  if (all !== null) parts.push(createScanPart('all', Math.max(all, kept)));
  if (all === null || failed < all) parts.push(createScanPart('failed', Math.max(failed, kept)));
  return { startedAt, gap: turn.gap, parts };
}

function createScanPart(which: LogScanPart['which'], since: number): LogScanPart {
  return { which, since, attempts: [], cursor: null, complete: false };
}

/** Ends the scan at a later time (GitHub's time, ms), because older attempts are no longer needed. */
export function shortenScan(scan: LogScan, since: number): LogScan {
  const parts = scan.parts.map((part) => {
    const attempts = part.attempts.filter(({ deliveredAt }) => deliveredAt >= since);
    const complete = part.complete || attempts.length < part.attempts.length;
    return { ...part, since: Math.max(part.since, since), attempts, complete };
  });
  return { ...scan, parts };
}

/** Continues the scan until its end or until the allowance is used up; true at the end. */
export async function continueScan(
  { parts }: LogScan,
  log: DeliveryLog,
  allowance: RequestAllowance,
): Promise<boolean> {
  for (const part of parts) await scanPart(part, log, allowance);
  return parts.every(({ complete }) => complete);
}

async function scanPart(part: LogScanPart, log: DeliveryLog, allowance: RequestAllowance): Promise<void> {
  while (!part.complete && useRequest(allowance)) {
    const { deliveries, nextCursor } = await log.fetchPage(part.cursor, part.which);
    const fresh = deliveries.filter(({ deliveredAt }) => deliveredAt >= part.since);
    part.attempts.push(...fresh);
    part.cursor = nextCursor;
    part.complete = nextCursor === null || fresh.length < deliveries.length;
  }
}

/** All scanned attempts, newest first. */
export function scannedAttempts({ parts }: LogScan): readonly LoggedDelivery[] {
  return parts.flatMap(({ attempts }) => attempts).toSorted((left, right) => right.deliveredAt - left.deliveredAt);
}

/** A pull request with an active run, a queued task or a pending proposal. */
export type ActivePull = { readonly repositoryId: number; readonly number: number };

/**
 * A delivery that might not be stored here: one webhook with all attempts to send it. `id` is the oldest attempt.
 * `acknowledged` means that one of the attempts got a 2xx response.
 */
export type LostDelivery = Pick<
  LoggedDelivery,
  'id' | 'guid' | 'deliveredAt' | 'event' | 'repositoryId' | 'acknowledged'
>;

/**
 * Selects lost deliveries from attempts (newest first): each relevant delivery once, oldest first. An acknowledged one
 * is lost only if the database was restored, so it matters only in repositories with active pull requests.
 */
export function findLostDeliveries(
  attempts: readonly LoggedDelivery[],
  activeRepositories: ReadonlySet<number>,
): readonly LostDelivery[] {
  const acknowledged = new Set(attempts.filter((attempt) => attempt.acknowledged).map(({ guid }) => guid));
  const oldest = new Map<string, LostDelivery>();
  for (const { id, guid, deliveredAt, event, action, repositoryId } of attempts.toReversed()) {
    if (oldest.has(guid) || !isRelevantEvent(event, action)) continue;
    const lost = { id, guid, deliveredAt, event, repositoryId, acknowledged: acknowledged.has(guid) };
    if (!lost.acknowledged || repositoryId === null || activeRepositories.has(repositoryId)) oldest.set(guid, lost);
  }
  return [...oldest.values()];
}

/** Acknowledged deliveries that are read one by one: the requests of two recovery runs. */
const MAX_ACKNOWLEDGED_TO_READ = 400;

/** Events whose content a catch-up reads from the pull request: comments, state, base and head. */
const FOUND_BY_CATCH_UP: ReadonlySet<string> = new Set([
  'issue_comment',
  'pull_request_review_comment',
  'pull_request',
]);

/** Whether a restored database lacks too many deliveries to read them one by one. */
export function hasTooManyAcknowledged(lost: readonly LostDelivery[]): boolean {
  return lost.filter(isReplacedByCatchUp).length > MAX_ACKNOWLEDGED_TO_READ;
}

/** Whether a catch-up replaces the reading of this delivery. */
export function isReplacedByCatchUp({ acknowledged, event }: LostDelivery): boolean {
  return acknowledged && FOUND_BY_CATCH_UP.has(event);
}

const Numbered = z.object({ number: z.int() });

const PullNumber = z.union([
  z.object({ pull_request: Numbered }).transform(({ pull_request }) => pull_request.number),
  z.object({ issue: Numbered }).transform(({ issue }) => issue.number),
]);

/**
 * Whether to handle a lost delivery with this payload. An acknowledged one counts only on an active pull request, so
 * that a task that is already done does not start again.
 */
export function shouldRecover(lost: LostDelivery, payload: unknown, active: readonly ActivePull[]): boolean {
  if (!lost.acknowledged || lost.repositoryId === null) return true;
  const number = PullNumber.safeParse(payload);
  return number.success && active.some((one) => one.repositoryId === lost.repositoryId && one.number === number.data);
}

/** State of a process between runs. After a restart it is rebuilt from GitHub's log and the store. */
export type RecoveryMemory = {
  /** Only the first run of a process starts early. */
  hasBegunRun: boolean;
  /** Start (GitHub's time, ms) of the period of the last scheduled catch-ups; null before the first. */
  catchUpSince: number | null;
  /** End (GitHub's time, ms) of the latest gap; null before the first. */
  gapUntil: number | null;
  /** The scan in progress; null between two scans. */
  scan: LogScan | null;
  /** Lost deliveries that are not read yet, oldest first. */
  backlog: readonly LostDelivery[];
  /** The scan that produced the backlog; `until` is GitHub's time (ms). Null before the first. */
  lastScan: { readonly until: number; readonly gap: GapWindow | null } | null;
  /** A turn that could not be released during a database outage, with the time of the next one (ms). */
  unreleasedTurn: { readonly turn: RecoveryTurn; readonly nextRunAt: number } | null;
  /** GUIDs of handled deliveries that are still in the log. */
  handled: Set<string>;
  /** The delivery that could not be read in the last run, with the number of attempts. */
  stuck: { readonly guid: string; readonly attempts: number } | null;
};

export function createRecoveryMemory(): RecoveryMemory {
  return {
    hasBegunRun: false,
    catchUpSince: null,
    gapUntil: null,
    scan: null,
    backlog: [],
    lastScan: null,
    unreleasedTurn: null,
    handled: new Set(),
    stuck: null,
  };
}

/** A new gap means that a backup might have been restored, without the deliveries handled since. */
export function resetMemory(memory: RecoveryMemory, { until }: GapWindow): void {
  const { hasBegunRun, stuck } = memory;
  Object.assign(memory, { ...createRecoveryMemory(), hasBegunRun, stuck, gapUntil: until });
}
