import type { Listing } from './list-log.ts';
import type { LostDelivery } from './lost.ts';

/** What a process remembers between its sweeps; all of it is found again from GitHub's log and the stored time. */
export type Memory = {
  /** It has worked everything off once. Until then webhooks answered 2xx are looked at too: the database may be older. */
  caughtUp: boolean;
  /** GitHub's time (ms) since which the log could not show everything; what goes on is to catch up with it. */
  caughtUpSince: number | null;
  listing: Listing | null;
  /** Lost and not yet read, oldest first. */
  backlog: readonly LostDelivery[];
  /** GitHub's time (ms) when the log was read from which the backlog was made; null before that. */
  listedUntil: number | null;
  /** Webhooks that were dealt with, for as long as the log lists them. */
  settled: Set<string>;
  /** The webhook that could not be read last time, and how often so far. */
  stuck: { readonly guid: string; readonly times: number } | null;
};

export function newMemory(): Memory {
  return {
    caughtUp: false,
    caughtUpSince: null,
    listing: null,
    backlog: [],
    listedUntil: null,
    settled: new Set(),
    stuck: null,
  };
}
