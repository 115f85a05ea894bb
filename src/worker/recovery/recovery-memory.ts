import type { GapWindow, RecoveryTurn } from '../../adapters/store/store.ts';
import type { LogScan, LostDelivery } from './delivery-log.ts';

/** State of a process between runs. After a restart it is rebuilt from GitHub's log and the store. */
export type RecoveryMemory = {
  /** Only the first run of a process starts early. */
  hasBegunRun: boolean;
  /** Start (GitHub's time, ms) of the period of the last scheduled catch-ups; null before the first. */
  catchUpSince: number | null;
  /** End (GitHub's time, ms) of the latest gap; null before the first. */
  gapUntil: number | null;
  /** The scan in progress; null between two scans. */
  scan: LogScan | null;
  /** Lost deliveries that are not read yet, oldest first. */
  backlog: readonly LostDelivery[];
  /** The scan that produced the backlog; `until` is GitHub's time (ms). Null before the first. */
  lastScan: { readonly until: number; readonly gap: GapWindow | null } | null;
  /** A turn that could not be released during a database outage, with the time of the next one (ms). */
  unreleasedTurn: { readonly turn: RecoveryTurn; readonly nextRunAt: number } | null;
  /** GUIDs of handled deliveries that are still in the log. */
  handled: Set<string>;
  /** The delivery that could not be read in the last run, with the number of attempts. */
  stuck: { readonly guid: string; readonly attempts: number } | null;
};

export function createRecoveryMemory(): RecoveryMemory {
  return {
    hasBegunRun: false,
    catchUpSince: null,
    gapUntil: null,
    scan: null,
    backlog: [],
    lastScan: null,
    unreleasedTurn: null,
    handled: new Set(),
    stuck: null,
  };
}

/** A new gap means that a backup might have been restored, without the deliveries handled since. */
export function resetMemory(memory: RecoveryMemory, { until }: GapWindow): void {
  const { hasBegunRun, stuck } = memory;
  Object.assign(memory, { ...createRecoveryMemory(), hasBegunRun, stuck, gapUntil: until });
}
