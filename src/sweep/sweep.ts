import type { SweepTurn } from '../store/store.ts';
import type { Budget } from './budget.ts';
import { newListing, readOn } from './list-log.ts';
import { lostAmong } from './lost.ts';
import type { Memory } from './memory.ts';
import type { SweepOptions } from './sweep-options.ts';
import { workOff } from './work-off.ts';

/** What a sweep came to: `elsewhere` where another process is at it or has just been. */
export type SweepResult = 'done' | 'unfinished' | 'elsewhere';

/** Between two sweeps, whoever does them: nobody should wait longer for an answer to a word that was lost. */
export const EVERY_MS = 5 * 60_000;
/** Of one sweep, one after the other: half of the 5,000 an hour that GitHub grants an App, whatever has piled up. */
export const MOST_REQUESTS = 200;
/** Between two pull requests that catch up: each takes some four requests, of which as many are sent at most meanwhile. */
export const CATCH_UP_PAUSE_MS = 6_000;
/** An attempt may be listed later than a newer one, by GitHub's own time. */
const OVERLAP_MS = 10 * 60_000;
/** So long GitHub keeps what it sent. */
const KEPT_MS = 3 * 24 * 60 * 60_000;

/**
 * Reads GitHub's log back to where the last sweep ended, and takes what was lost in GitHub's order. Rejects with the
 * failure of GitHub or the store that ended it: what was read before is taken, and the next sweep goes on behind it.
 */
export async function sweep(memory: Memory, options: SweepOptions, stopping: AbortSignal): Promise<SweepResult> {
  const { store, now } = options;
  const turn = await store.beginSweep(now(), EVERY_MS, !memory.caughtUp);
  if (turn === null) return 'elsewhere';
  const budget: Budget = { left: MOST_REQUESTS };
  const reached = { until: turn.heardUntil };
  try {
    if (memory.backlog.length === 0) await list(memory, turn, options, budget);
    await workOff(memory, reached, options, budget, stopping);
  } finally {
    await store.endSweep(turn, reached.until, now() + EVERY_MS);
  }
  const done = memory.backlog.length === 0 && memory.listing === null;
  memory.caughtUp ||= done;
  return done ? 'done' : 'unfinished';
}

/** What was sent longer ago is in no log any more: what goes on is looked at itself, once for each such gap. */
async function catchUp(memory: Memory, since: number, { store, now, log }: SweepOptions): Promise<void> {
  if (memory.caughtUpSince === since) return;
  const pulls = await store.catchUpAll(new Date(since).toISOString(), now(), CATCH_UP_PAUSE_MS);
  memory.caughtUpSince = since;
  log.warn(
    { pulls },
    'webhooks may have been lost longer ago than GitHub can tell; what goes on is looked at one by one',
  );
}

async function list(memory: Memory, { heardUntil }: SweepTurn, options: SweepOptions, budget: Budget): Promise<void> {
  const begun = options.githubTime();
  const wanted = heardUntil === null ? null : heardUntil - OVERLAP_MS;
  const kept = begun - KEPT_MS;
  if (wanted !== null && wanted < kept) await catchUp(memory, wanted, options);
  const since = Math.max(wanted ?? 0, kept);
  // A database that never swept knows nothing that could be missing from it.
  memory.listing ??= newListing(memory.caughtUp || heardUntil === null ? 'failed' : 'all', since, begun);
  const { listing } = memory;
  await readOn(listing, options.deliveries, budget);
  if (!listing.complete) return;
  const active = await options.store.activePulls();
  const lost = lostAmong(listing.attempts, new Set(active.map(({ repositoryId }) => repositoryId)));
  memory.backlog = lost.filter(({ guid }) => !memory.settled.has(guid));
  memory.settled = new Set(listing.attempts.map(({ guid }) => guid).filter((guid) => memory.settled.has(guid)));
  memory.listedUntil = listing.begun;
  memory.listing = null;
}
