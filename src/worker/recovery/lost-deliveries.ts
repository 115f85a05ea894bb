import { z } from 'zod';
import type { AppIdentity } from '../../core/state/facts.ts';
import type { CommentLocation, PullRequestRef } from '../../core/state/intent.ts';
import type { DeliveryEvent, LoggedDelivery } from '../../core/state/ports.ts';
import { interpret, isRelevantEvent } from '../../core/webhooks/interpret.ts';

type CurrentTextOptions = {
  readonly identity: AppIdentity;
  /** Fetches the current body of a comment; null if it was deleted. */
  readonly fetchComment: (pull: PullRequestRef, location: CommentLocation) => Promise<string | null>;
};

/** Updates a lost delivery to the current text of its comment; null if the comment was deleted. */
export type CurrentTextReader = (event: DeliveryEvent) => Promise<DeliveryEvent | null>;

const Body = z.object({ body: z.string().nullish() }).loose();

const CommentPayload = z.object({ comment: Body.optional(), review: Body.optional() }).loose();

/**
 * Authors can delete or edit a comment while its webhook is lost. A deleted comment is dropped, and an edited one is
 * handled as an edit, which never decides anything. [S60, S61]
 */
export function createCurrentTextReader({ identity, fetchComment }: CurrentTextOptions): CurrentTextReader {
  return async (event) => {
    const interpretation = interpret({ event: event.name, payload: event.payload, app: identity });
    if (interpretation.kind !== 'intent' || interpretation.intent.kind !== 'comment') return event;
    const body = await fetchComment(interpretation.intent.pull, interpretation.intent.location);
    return body === null ? null : withBody(event, body);
  };
}

function withBody(event: DeliveryEvent, body: string): DeliveryEvent {
  const { comment, review, ...rest } = CommentPayload.parse(event.payload);
  const commented = comment ?? review;
  if (commented === undefined || isSameText(commented.body ?? '', body)) return event;
  const edited = comment === undefined ? { review: { ...review, body } } : { comment: { ...comment, body } };
  return { ...event, payload: { ...rest, ...edited, action: 'edited' } };
}

/** The line endings of webhooks and API responses can differ. */
function isSameText(left: string, right: string): boolean {
  return left.replaceAll('\r\n', '\n').trimEnd() === right.replaceAll('\r\n', '\n').trimEnd();
}

/** A pull request with an active run, a queued task or a pending proposal. */
export type ActivePull = { readonly repositoryId: number; readonly number: number };

/** A webhook that might not be stored here. `acknowledged` means that one of its attempts got a 2xx response. */
export type LostDelivery = Pick<
  LoggedDelivery,
  'id' | 'guid' | 'deliveredAt' | 'event' | 'repositoryId' | 'acknowledged'
>;

/**
 * Selects lost webhooks from attempts (newest first): each relevant webhook once, oldest first. An acknowledged one is
 * lost only if the database was restored, so it matters only in repositories with active pull requests.
 */
export function findLost(
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

/** Webhooks that are read one by one: the requests of two recovery runs. */
const MAX_ACKNOWLEDGED_TO_READ = 400;

/** Events whose content a catch-up reads from the pull request: comments, state, base and head. */
const FOUND_BY_CATCH_UP: ReadonlySet<string> = new Set([
  'issue_comment',
  'pull_request_review_comment',
  'pull_request',
]);

/** Whether a restored database lacks too many webhooks to read them one by one. */
export function hasTooManyAcknowledged(lost: readonly LostDelivery[]): boolean {
  return lost.filter(isFoundByCatchUp).length > MAX_ACKNOWLEDGED_TO_READ;
}

/** Whether a catch-up replaces this webhook. */
export function isFoundByCatchUp({ acknowledged, event }: LostDelivery): boolean {
  return acknowledged && FOUND_BY_CATCH_UP.has(event);
}

const Numbered = z.object({ number: z.int() });

const OnPull = z.union([
  z.object({ pull_request: Numbered }).transform(({ pull_request }) => pull_request.number),
  z.object({ issue: Numbered }).transform(({ issue }) => issue.number),
]);

/**
 * Whether to handle a lost delivery with this payload. An acknowledged one counts only on an active pull request, so
 * that a task that is already done does not start again.
 */
export function shouldRecover(lost: LostDelivery, payload: unknown, active: readonly ActivePull[]): boolean {
  if (!lost.acknowledged || lost.repositoryId === null) return true;
  const number = OnPull.safeParse(payload);
  return number.success && active.some((one) => one.repositoryId === lost.repositoryId && one.number === number.data);
}
