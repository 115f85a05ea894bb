import { z } from 'zod';
import type { LoggedDelivery } from '../../core/state/ports.ts';
import { isRelevantEvent } from '../../core/webhooks/interpret.ts';

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
 * Selects lost deliveries from attempts (newest first): each relevant delivery once, oldest first. An acknowledged one is
 * lost only if the database was restored, so it matters only in repositories with active pull requests.
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
