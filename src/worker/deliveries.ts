import type { Store } from '../adapters/store/store.ts';
import { createFault, type Logger } from '../adapters/telemetry/log.ts';
import type { Counter } from '../adapters/telemetry/metrics.ts';
import { createDoubts } from '../core/step/doubts.ts';
import {
  type Clock,
  type DeliveryEvent,
  type DeliveryLog,
  GitHubError,
  type LoggedDelivery,
  means,
} from '../core/step/ports.ts';
import { isCheckEvent, isRelevantEvent } from '../core/webhooks/interpret.ts';
import { delay } from '../lib/delay.ts';

/** The services of a look at GitHub's delivery log. */
export type LookOptions = {
  readonly deliveries: DeliveryLog;
  readonly store: Pick<Store, 'findKnownDeliveries' | 'noticeChecks' | 'voidVotes' | 'beginRecovery' | 'endRecovery'>;
  /** Stores a delivery like one that GitHub sends, and returns its outcome. */
  readonly handleDelivery: (event: DeliveryEvent) => Promise<string>;
  readonly log: Logger;
  /** Counts recovered deliveries by event and outcome. */
  readonly recoveredDeliveries: Counter<'event' | 'outcome'>;
  readonly now: () => number;
  /** Time between two looks of all processes (ms). */
  readonly intervalMs: number;
};

/** What a process remembers between two looks. */
type LookMemory = {
  /** The first look of a process, and one after a failed look, do not wait for their turn. */
  looksEarly: boolean;
  /** Failed attempts to read a payload, by delivery. */
  readonly failures: Map<string, number>;
  /** Reports of checks that the log still lists. They are not stored. */
  readonly noticed: Set<string>;
  /** Handled deliveries that the log still lists. Not all of them are stored. */
  readonly handled: Set<string>;
};

/** `elsewhere`: another process has just looked. `unfinished`: the next look continues. */
export type LookResult = 'done' | 'unfinished' | 'elsewhere';

/** Time between two looks (ms) of a server that webhooks reach: the longest delay of a reply to a lost comment. */
export const LOOK_INTERVAL_MS = 5 * 60_000;

/** How long GitHub keeps its delivery log (ms). */
const LOG_RETENTION_MS = 3 * 24 * 60 * 60_000;

/** Overlap of two looks (ms): GitHub can list an attempt later than a newer one, and clocks differ. */
const OVERLAP_MS = 10 * 60_000;

/** The lost deliveries that one look stores. With more of them, a denial could come behind an approval. */
const MAX_LOST = 1_000;

/** Looks that fail to read a payload before it is skipped, so that it does not block the others. */
const MAX_READ_FAILURES = 3;

export function createLookMemory(): LookMemory {
  return { looksEarly: true, failures: new Map(), noticed: new Set(), handled: new Set() };
}

/**
 * Looks once for deliveries that failed since the last look. All that it finds are read first, and then stored without
 * a pause, oldest first: otherwise an approval could take effect before the denial behind it is stored.
 */
export async function lookForDeliveries(memory: LookMemory, options: LookOptions): Promise<LookResult> {
  const { store, now, intervalMs } = options;
  const begun = await store.beginRecovery(now(), intervalMs, memory.looksEarly);
  if (begun === null) return 'elsewhere';
  memory.looksEarly = true;
  const until = await recoverSince(begun.recoveredUntil, memory, options);
  memory.looksEarly = false;
  if (until === null) return 'unfinished';
  await store.endRecovery(until);
  return 'done';
}

/** Returns the time (ms) up to which no delivery is missing; null if some are left. */
async function recoverSince(recoveredUntil: number | null, memory: LookMemory, options: LookOptions) {
  const { store, now, log } = options;
  const startedAt = now();
  const isGap = recoveredUntil !== null && recoveredUntil < startedAt - LOG_RETENTION_MS;
  const lost = await listLost((recoveredUntil ?? 0) - OVERLAP_MS, memory, options);
  if (isGap || lost.length > MAX_LOST) {
    log.warn({ lost: lost.length }, 'webhooks are lost, votes for changes that are not committed are void');
    await store.voidVotes(now());
  }
  for (const [delivery, event] of await readPayloads(lost.slice(0, MAX_LOST), memory, options)) {
    const outcome = event === null ? 'gone' : await options.handleDelivery(event);
    options.recoveredDeliveries.inc({ event: delivery.event, outcome });
    memory.handled.add(delivery.guid);
  }
  return lost.length > MAX_LOST ? null : startedAt;
}

/** Each delivery that can matter, has failed since then and is not stored, oldest first. */
async function listLost(
  since: number,
  { handled, noticed }: LookMemory,
  { deliveries, store, now }: LookOptions,
): Promise<readonly LoggedDelivery[]> {
  const attempts: LoggedDelivery[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await deliveries.fetchPage(cursor);
    attempts.push(...page.deliveries.filter(({ deliveredAt }) => deliveredAt >= since));
    cursor = page.nextCursor;
    if (cursor === null || page.deliveries.some(({ deliveredAt }) => deliveredAt < since)) break;
  }
  await noticeChecks(attempts, noticed, { store, now });
  const relevant = attempts.filter(({ event, action }) => isRelevantEvent(event, action));
  const byGuid = new Map(relevant.map((attempt) => [attempt.guid, attempt]));
  const known = await store.findKnownDeliveries([...byGuid.keys()]);
  for (const guid of handled) if (!byGuid.has(guid)) handled.delete(guid);
  const lost = [...byGuid.values()].filter(({ guid }) => !known.has(guid) && !handled.has(guid));
  return lost.toSorted((left, right) => left.deliveredAt - right.deliveredAt);
}

/** The log says of which repository a check is, and no more, so that runs that wait there look once. */
async function noticeChecks(
  attempts: readonly LoggedDelivery[],
  noticed: Set<string>,
  { store, now }: Pick<LookOptions, 'store' | 'now'>,
): Promise<void> {
  const reports = attempts.filter(({ event, action }) => isCheckEvent(event, action));
  for (const { guid: key, repositoryId } of reports) {
    if (repositoryId === null || noticed.has(key)) continue;
    await store.noticeChecks({ repositoryId, head: null, key, failed: false }, now());
  }
  noticed.clear();
  for (const { guid } of reports) noticed.add(guid);
}

type ReadDelivery = readonly [LoggedDelivery, DeliveryEvent | null];

/** Reads all payloads; null for one that GitHub no longer has. Fails as a whole, except for an unreadable payload. */
async function readPayloads(
  lost: readonly LoggedDelivery[],
  { failures }: LookMemory,
  { deliveries, log }: LookOptions,
): Promise<readonly ReadDelivery[]> {
  const read: ReadDelivery[] = [];
  const doubts = createDoubts();
  for (const delivery of lost) {
    const { id, guid, event: name } = delivery;
    try {
      const payload = await doubts.ask(deliveries.fetchPayload(id));
      read.push([delivery, payload === null ? null : { id: guid, name, payload }]);
    } catch (error) {
      // GitHub fails for all of them.
      if (!(error instanceof GitHubError) || error.retryAt !== null || error.status === null) throw error;
      if (means(error, 'not-allowed')) throw error;
      failures.set(guid, (failures.get(guid) ?? 0) + 1);
      if ((failures.get(guid) ?? 0) < MAX_READ_FAILURES) throw error;
      log.warn({ delivery: guid, err: error }, 'lost delivery cannot be read, skipped');
    }
  }
  doubts.settle();
  failures.clear();
  return read;
}

/** Looks at regular intervals. */
export type DeliveryReader = {
  /** True during a look, or if one is due. */
  isBusy(): boolean;
  /** Begins no more looks and waits up to `graceMs` for the one in progress. */
  stop(graceMs: number): Promise<void>;
};

type DeliveryReaderOptions = Omit<LookOptions, 'now'> & {
  readonly clock: Clock;
  /** Counts looks by result. */
  readonly recoveryRuns: Counter<'result'>;
};

const TICK_MS = 1_000;

/** Longest pause (ms) after an error, or after a look of another process. */
const MAX_RETRY_MS = 60_000;

/** Pause after a server shows no delivery log, or one that the App cannot read. */
const REFUSED_INTERVAL_MS = 60 * 60_000;

/** Begins the first look at once. */
export function startDeliveryReader({ clock, recoveryRuns, ...options }: DeliveryReaderOptions): DeliveryReader {
  const { log, intervalMs } = options;
  const retryAfterMs = Math.min(MAX_RETRY_MS, intervalMs);
  const memory = createLookMemory();
  const fault = createFault({
    level: 'warn',
    message: 'recovery of lost deliveries failed, will retry',
    endMessage: 'recovery of lost deliveries works again',
  });
  let dueAt = clock.now();
  let running: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const result = await lookForDeliveries(memory, { ...options, now: clock.now });
      dueAt = clock.now() + (result === 'elsewhere' ? retryAfterMs : intervalMs);
      fault.ended(log);
      if (result !== 'elsewhere') recoveryRuns.inc({ result });
    } catch (error) {
      dueAt = nextLookAfter(error);
    }
  }

  function nextLookAfter(error: unknown): number {
    const failure = error instanceof GitHubError ? error : null;
    if (means(error, 'not-allowed', 'gone')) {
      log.warn({ err: error }, 'GitHub does not show its delivery log, recovery is off for an hour');
      recoveryRuns.inc({ result: 'refused' });
      return clock.now() + REFUSED_INTERVAL_MS;
    }
    fault.failed(log, error);
    recoveryRuns.inc({ result: 'failed' });
    return Math.max(clock.now() + retryAfterMs, failure?.retryAt ?? 0);
  }

  const isDue = (): boolean => clock.now() >= dueAt;
  const tick = (): void => {
    if (running !== null || !isDue()) return;
    running = look().finally(() => {
      running = null;
    });
  };
  const stopTicking = clock.every(TICK_MS, tick);
  tick();
  return {
    isBusy: () => running !== null || isDue(),
    async stop(graceMs) {
      dueAt = Number.POSITIVE_INFINITY;
      stopTicking();
      await Promise.race([running, delay(graceMs)]);
    },
  };
}
