import { type Budget, spend } from './budget.ts';
import type { DeliveryLog, LoggedDelivery } from './delivery-log.ts';

/** The log as far as it was read back. It lives in memory: after a restart it is read anew. */
export type Listing = {
  readonly which: 'all' | 'failed';
  /** GitHub's time (ms) before which everything was looked at in an earlier sweep. */
  readonly since: number;
  /** GitHub's time (ms) when reading began. */
  readonly begun: number;
  readonly attempts: LoggedDelivery[];
  cursor: string | null;
  complete: boolean;
};

export function newListing(which: Listing['which'], since: number, begun: number): Listing {
  return { which, since, begun, attempts: [], cursor: null, complete: false };
}

/** Reads on where it stopped, until there is nothing older to look at or the budget ends. */
export async function readOn(listing: Listing, log: DeliveryLog, budget: Budget): Promise<void> {
  while (!listing.complete && spend(budget)) {
    const { deliveries, next } = await log.page(listing.cursor, listing.which);
    const fresh = deliveries.filter(({ deliveredAt }) => deliveredAt >= listing.since);
    listing.attempts.push(...fresh);
    listing.cursor = next;
    listing.complete = next === null || fresh.length < deliveries.length;
  }
}
