import type { Doubt, SweepTurn } from '../store/store.ts';
import { type Budget, spend } from './budget.ts';
import type { DeliveryLog, LoggedDelivery } from './delivery-log.ts';

/** The log as far as it was read back. It lives in memory: after a restart it is read anew. */
export type Listing = {
  /** GitHub's time (ms) when reading began. */
  readonly begun: number;
  /** What is looked into besides what failed; null where nothing is in doubt. */
  readonly doubt: Doubt | null;
  readonly parts: readonly ListingPart[];
};

/** One way through the log, newest first. */
export type ListingPart = {
  readonly which: 'all' | 'failed';
  /** GitHub's time (ms) before which nothing is looked at. */
  readonly since: number;
  readonly attempts: LoggedDelivery[];
  cursor: string | null;
  complete: boolean;
};

/** So long GitHub keeps what it sent. */
const KEPT_MS = 3 * 24 * 60 * 60_000;
/** An attempt may be listed later than a newer one, by GitHub's own time. */
const OVERLAP_MS = 10 * 60_000;
/**
 * What was answered when the database was last known to be in use was sent this much earlier, at most, by any clock.
 */
export const SLACK_MS = 60_000;

/** From when on (GitHub's time, ms) the log is needed, and from when on it can be there. */
export function reachOf({ heardUntil, doubt }: SweepTurn, begun: number) {
  const failed = (heardUntil ?? 0) - OVERLAP_MS;
  const all = doubt === null ? null : doubt.since - SLACK_MS;
  return { failed, all, kept: begun - KEPT_MS };
}

export function newListing(turn: SweepTurn, begun: number): Listing {
  const { failed, all, kept } = reachOf(turn, begun);
  const parts: ListingPart[] = [];
  if (all !== null) parts.push(newPart('all', Math.max(all, kept)));
  if (all === null || failed < all) parts.push(newPart('failed', Math.max(failed, kept)));
  return { begun, doubt: turn.doubt, parts };
}

function newPart(which: ListingPart['which'], since: number): ListingPart {
  return { which, since, attempts: [], cursor: null, complete: false };
}

/** Reads on where it stopped, until there is nothing older to look at or the budget ends; true once all is read. */
export async function readOn({ parts }: Listing, log: DeliveryLog, budget: Budget): Promise<boolean> {
  for (const part of parts) await readPart(part, log, budget);
  return parts.every(({ complete }) => complete);
}

async function readPart(part: ListingPart, log: DeliveryLog, budget: Budget): Promise<void> {
  while (!part.complete && spend(budget)) {
    const { deliveries, next } = await log.page(part.cursor, part.which);
    const fresh = deliveries.filter(({ deliveredAt }) => deliveredAt >= part.since);
    part.attempts.push(...fresh);
    part.cursor = next;
    part.complete = next === null || fresh.length < deliveries.length;
  }
}

/** All attempts that were read, newest first. */
export function attemptsOf({ parts }: Listing): readonly LoggedDelivery[] {
  return parts.flatMap(({ attempts }) => attempts).toSorted((left, right) => right.deliveredAt - left.deliveredAt);
}
