import { CATCH_UP_PAUSE_MS } from '../run/effect.ts';
import type { SweepTurn } from '../store/store.ts';
import type { Budget } from './budget.ts';
import { attemptsOf, type Listing, newListing, reachOf, readOn, SLACK_MS } from './list-log.ts';
import { isFoundOtherwise, lostAmong, tooManyForgotten } from './lost.ts';
import { forget, type Memory } from './memory.ts';
import type { SweepOptions } from './sweep-options.ts';
import { leaveOutKnown, type Reached, workOff } from './work-off.ts';

/** What a sweep came to: `elsewhere` where another process is at it or has just been. */
export type SweepResult = 'done' | 'unfinished' | 'elsewhere';

/** Between two sweeps, whoever does them: nobody should wait longer for an answer to a word that was lost. */
export const EVERY_MS = 5 * 60_000;
/**
 * Before a sweep goes on that did not come to its end: its requests stay below the 5,000 an hour that an App is
 * granted.
 */
export const GO_ON_MS = 3 * 60_000;
/** Of one sweep, one after the other, whatever has piled up. */
export const MOST_REQUESTS = 200;

/**
 * Reads GitHub's log back to where the last sweep ended, and takes what was lost in GitHub's order. Rejects with the
 * failure of GitHub or the store that ended it: what was read before is taken, and the next sweep goes on behind it.
 */
export async function sweep(memory: Memory, options: SweepOptions, stopping: AbortSignal): Promise<SweepResult> {
  const { store, now } = options;
  // What is in doubt must be known before it is asked for.
  await options.heartbeat();
  await giveBack(memory, options);
  const turn = await store.beginSweep(now(), EVERY_MS, !memory.caughtUp);
  if (turn === null) return 'elsewhere';
  if (turn.doubt !== null && turn.doubt.until !== memory.doubtUntil) forget(memory, turn.doubt);
  const budget: Budget = { left: MOST_REQUESTS };
  const reached: Reached = { until: null };
  let done = false;
  try {
    if (memory.backlog.length === 0) await list(memory, turn, options, budget);
    memory.backlog = await leaveOutKnown(memory.backlog, options.store);
    await shorten(memory, options);
    await workOff(memory, reached, options, budget, stopping);
    done = memory.backlog.length === 0 && memory.listing === null;
  } finally {
    const progress = { until: reached.until, doubt: memory.listed?.doubt ?? null };
    memory.unended = turn;
    await store.endSweep(turn, progress, now() + (done ? EVERY_MS : GO_ON_MS));
    memory.unended = null;
  }
  memory.caughtUp ||= done;
  return done ? 'done' : 'unfinished';
}

/**
 * How far it came is not said any more: the database may have been restored since. What it found is remembered, or found
 * again.
 */
async function giveBack(memory: Memory, { store, now }: SweepOptions): Promise<void> {
  if (memory.unended === null) return;
  await store.endSweep(memory.unended, { until: null, doubt: null }, now());
  memory.unended = null;
}

async function list(memory: Memory, turn: SweepTurn, options: SweepOptions, budget: Budget): Promise<void> {
  memory.listing ??= await beginListing(memory, turn, options);
  const { listing } = memory;
  if (!(await readOn(listing, options.deliveries, budget))) return;
  const attempts = attemptsOf(listing);
  const active = await options.store.activePulls();
  const lost = lostAmong(attempts, new Set(active.map(({ repositoryId }) => repositoryId)));
  memory.backlog = lost.filter(({ guid }) => !memory.settled.has(guid));
  memory.settled = new Set(attempts.map(({ guid }) => guid).filter((guid) => memory.settled.has(guid)));
  memory.listed = { until: listing.begun, doubt: listing.doubt };
  memory.listing = null;
}

async function beginListing(memory: Memory, turn: SweepTurn, options: SweepOptions): Promise<Listing> {
  const begun = options.githubTime();
  const { failed, all, kept } = reachOf(turn, begun);
  const wanted = turn.heardUntil === null ? all : Math.min(failed, all ?? failed);
  if (wanted !== null && wanted < kept) await catchUp(memory, wanted, options);
  return newListing(turn, begun);
}

/**
 * Rather than read thousands one by one, what goes on is looked at itself: that finds all but what only webhooks tell.
 */
async function shorten(memory: Memory, options: SweepOptions): Promise<void> {
  const { backlog, listed } = memory;
  if (listed === null || listed.doubt === null || !tooManyForgotten(backlog)) return;
  await catchUp(memory, listed.doubt.since - SLACK_MS, options);
  memory.backlog = backlog.filter((lost) => !isFoundOtherwise(lost));
}

/** What can no longer be read from the log is found on the pull requests themselves, once for each such gap. */
async function catchUp(memory: Memory, since: number, { store, now, log }: SweepOptions): Promise<void> {
  if (memory.caughtUpSince === since) return;
  const pulls = await store.catchUpAll(new Date(since).toISOString(), now(), CATCH_UP_PAUSE_MS);
  memory.caughtUpSince = since;
  log.warn(
    { pulls },
    'webhooks may have been lost longer ago than GitHub can tell, or too many; what goes on is looked at one by one',
  );
}
