import { z } from 'zod';
import type { Store } from '../../adapters/store/store.ts';
import type { Logger } from '../../adapters/telemetry/log.ts';
import type { Counter } from '../../adapters/telemetry/metrics.ts';
import type { CommentLocation, PullRequestRef } from '../../core/state/intent.ts';
import type { AppIdentity } from '../../core/step/facts.ts';
import { type CurrentComment, type DeliveryEvent, type DeliveryLog, GitHubError } from '../../core/step/ports.ts';
import { interpret } from '../../core/webhooks/interpret.ts';
import {
  type ActivePull,
  type LostDelivery,
  type RecoveryMemory,
  type RequestAllowance,
  shouldRecover,
  useRequest,
} from './delivery-log.ts';

/** The services that read and handle lost deliveries. */
export type BacklogOptions = {
  readonly deliveries: DeliveryLog;
  readonly store: Pick<Store, 'findKnownDeliveries' | 'listActivePulls'>;
  readonly withCurrentText: CurrentTextReader;
  /** Stores a delivery like one that GitHub sends, and returns its outcome. */
  readonly handleDelivery: (event: DeliveryEvent) => Promise<string>;
  readonly log: Logger;
  /** Counts recovered deliveries by event and outcome. */
  readonly recoveredDeliveries: Counter<'event' | 'outcome'>;
};

/** A lost delivery with its payload; `event` is null if there is nothing to handle. */
type ReadDelivery = { readonly lost: LostDelivery; readonly event: DeliveryEvent | null; readonly outcome: string };

/** GitHub's time (ms) up to which no delivery is missing; null if unknown. Kept up to date even if a run fails. */
export type RecoveredUntil = { until: number | null };

/** Failed runs before an unreadable delivery is skipped, so that it does not block the others. */
const MAX_READ_ATTEMPTS = 3;

const MAX_IDS_PER_QUERY = 1_000;

/**
 * Reads deliveries within the allowance, and only then handles them, in order and without a pause: otherwise an
 * approval could take effect before the denial that followed it is stored.
 */
export async function processBacklog(
  memory: RecoveryMemory,
  recoveredUntil: RecoveredUntil,
  options: BacklogOptions,
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
  options: BacklogOptions,
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
      if (!recordReadFailure(memory, lost, error)) return { read, error };
      options.log.warn({ delivery: lost.guid, err: error }, 'lost delivery cannot be read, skipped');
      read.push({ lost, event: null, outcome: 'unreadable' });
    }
  }
  return { read, error: null };
}

/** Drops deliveries that arrived meanwhile or were handled by another process. */
export async function dropStored(
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
  options: BacklogOptions,
  active: readonly ActivePull[],
): Promise<ReadDelivery> {
  const payload = await options.deliveries.fetchPayload(lost.id);
  if (payload === null) return { lost, event: null, outcome: 'gone' };
  if (!shouldRecover(lost, payload, active)) return { lost, event: null, outcome: 'answered-before' };
  const event = await options.withCurrentText({ id: lost.guid, name: lost.event, payload });
  return { lost, event, outcome: event === null ? 'deleted-since' : 'read' };
}

/** Counts a failed attempt unless the cause is an outage or rate limit; true once the delivery should be skipped. */
function recordReadFailure(memory: RecoveryMemory, { guid }: LostDelivery, error: unknown): boolean {
  if (!(error instanceof GitHubError) || error.retryAt !== null || error.status === null) return false;
  const attempts = memory.stuck?.guid === guid ? memory.stuck.attempts + 1 : 1;
  memory.stuck = { guid, attempts };
  return attempts >= MAX_READ_ATTEMPTS;
}

type CurrentTextOptions = {
  readonly identity: AppIdentity;
  readonly fetchComment: (pull: PullRequestRef, location: CommentLocation) => Promise<CurrentComment>;
};

/** Updates a lost delivery to the current text of its comment; null if the comment was deleted. */
type CurrentTextReader = (event: DeliveryEvent) => Promise<DeliveryEvent | null>;

const Body = z.object({ body: z.string().nullish() }).loose();

const CommentPayload = z.object({ comment: Body.optional(), review: Body.optional() }).loose();

/**
 * Drops a comment that was deleted since, and makes an edit, which decides nothing, of one that was edited. [S60, S61]
 * A suspended account shows none and must not hold up the others, so its comments are taken as they were sent.
 */
export function createCurrentTextReader({ identity, fetchComment }: CurrentTextOptions): CurrentTextReader {
  return async (event) => {
    const interpretation = interpret({ event: event.name, payload: event.payload, app: identity });
    if (interpretation.kind !== 'intent' || interpretation.intent.kind !== 'comment') return event;
    const current = await fetchComment(interpretation.intent.pull, interpretation.intent.location);
    if (current.kind === 'written') return withBody(event, current.body);
    return current.kind === 'suspended' ? event : null;
  };
}

function withBody(event: DeliveryEvent, body: string): DeliveryEvent {
  const { comment, review, ...rest } = CommentPayload.parse(event.payload);
  const commented = comment ?? review;
  if (commented === undefined || isSameBody(commented.body ?? '', body)) return event;
  const edited = comment === undefined ? { review: { ...review, body } } : { comment: { ...comment, body } };
  return { ...event, payload: { ...rest, ...edited, action: 'edited' } };
}

/** The line endings of webhooks and API responses can differ. */
function isSameBody(left: string, right: string): boolean {
  return left.replaceAll('\r\n', '\n').trimEnd() === right.replaceAll('\r\n', '\n').trimEnd();
}
