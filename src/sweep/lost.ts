import { z } from 'zod';
import { mayMean } from '../command/interpret.ts';
import type { LoggedDelivery } from './delivery-log.ts';

/** A pull request by what a delivery says of it. */
export type Place = { readonly repositoryId: number; readonly number: number };

/** A webhook of which no attempt is known to have been stored here. */
export type LostDelivery = Pick<LoggedDelivery, 'id' | 'guid' | 'deliveredAt' | 'event' | 'repositoryId' | 'answered'>;

/**
 * What has to be read of these attempts, newest first as the log has them: each webhook once, oldest first, by the
 * event and action that can mean something. One that was answered 2xx counts only where it may concern what goes on
 * here, for then the database is older than the answer.
 */
export function lostAmong(
  attempts: readonly LoggedDelivery[],
  activeRepositories: ReadonlySet<number>,
): readonly LostDelivery[] {
  const answered = new Set(attempts.filter((attempt) => attempt.answered).map(({ guid }) => guid));
  const oldest = new Map<string, LostDelivery>();
  for (const { id, guid, deliveredAt, event, action, repositoryId } of attempts.toReversed()) {
    if (oldest.has(guid) || !mayMean(event, action)) continue;
    const lost = { id, guid, deliveredAt, event, repositoryId, answered: answered.has(guid) };
    if (!lost.answered || repositoryId === null || activeRepositories.has(repositoryId)) oldest.set(guid, lost);
  }
  return [...oldest.values()];
}

/** So many may be read one by one: two sweeps' worth. */
const MOST_FORGOTTEN = 400;
/** What looking at a pull request itself finds too: the words in its comments, its state, its base and its head. */
const FOUND_OTHERWISE: ReadonlySet<string> = new Set(['issue_comment', 'pull_request_review_comment', 'pull_request']);

/** Whether a restored database has forgotten more than can be read one by one. */
export function tooManyForgotten(lost: readonly LostDelivery[]): boolean {
  return lost.filter(isFoundOtherwise).length > MOST_FORGOTTEN;
}

/** One that was answered once and that a look at its pull request makes up for. */
export function isFoundOtherwise({ answered, event }: LostDelivery): boolean {
  return answered && FOUND_OTHERWISE.has(event);
}

const Numbered = z.object({ number: z.int() });
const OnPull = z.union([
  z.object({ pull_request: Numbered }).transform(({ pull_request }) => pull_request.number),
  z.object({ issue: Numbered }).transform(({ issue }) => issue.number),
]);

/**
 * Whether a lost delivery is to be taken now that its payload is known. One that was answered 2xx once is heard again
 * only on a pull request where something goes on: a task that was worked off elsewhere does not begin anew.
 */
export function isWanted(lost: LostDelivery, payload: unknown, active: readonly Place[]): boolean {
  if (!lost.answered || lost.repositoryId === null) return true;
  const number = OnPull.safeParse(payload);
  return number.success && active.some((one) => one.repositoryId === lost.repositoryId && one.number === number.data);
}
