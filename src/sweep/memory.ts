import type { Doubt, SweepTurn } from '../store/store.ts';
import type { Listing } from './list-log.ts';
import type { LostDelivery } from './lost.ts';

/** What a process remembers between its sweeps; all of it is found again from GitHub's log and what is stored. */
export type Memory = {
  /** It has worked everything off once; until then it need not wait for the time of the next sweep. */
  caughtUp: boolean;
  /** GitHub's time (ms) since which the log could not show everything; what goes on is to catch up with it. */
  caughtUpSince: number | null;
  /** End (GitHub's time, ms) of the newest doubt that this was remembered in; null before the first. */
  doubtUntil: number | null;
  listing: Listing | null;
  /** Lost and not yet read, oldest first. */
  backlog: readonly LostDelivery[];
  /** What the log was read for from which the backlog was made, up to GitHub's time (ms); null before that. */
  listed: { readonly until: number; readonly doubt: Doubt | null } | null;
  /** A turn that could not be given back, since the database was away just then; until it is, nobody gets another. */
  unended: SweepTurn | null;
  /** Webhooks that were dealt with, for as long as the log lists them. */
  settled: Set<string>;
  /** The webhook that could not be read last time, and how often so far. */
  stuck: { readonly guid: string; readonly times: number } | null;
};

export function newMemory(): Memory {
  return {
    caughtUp: false,
    caughtUpSince: null,
    doubtUntil: null,
    listing: null,
    backlog: [],
    listed: null,
    unended: null,
    settled: new Set(),
    stuck: null,
  };
}

/** Another database may have been restored: what was dealt with under the one before says nothing of it. */
export function forget(memory: Memory, { until }: Doubt): void {
  const { caughtUp, stuck } = memory;
  Object.assign(memory, { ...newMemory(), caughtUp, stuck, doubtUntil: until });
}
