import { Gauge, type Registry } from 'prom-client';

/** What the database holds at a time, over all repositories. `oldestPendingAt` is ms; null if nothing is pending. */
export type WaitingWork = {
  readonly pendingChanges: number;
  readonly oldestPendingAt: number | null;
  /** Signals and effects that are due. */
  readonly dueSignals: number;
  readonly dueEffects: number;
  readonly deadLetters: number;
  /** Runs that have not ended, by phase. */
  readonly runs: readonly { readonly phase: string; readonly count: number }[];
};

/** Counts the waiting work at this time (ms since the epoch). */
export type WaitingReader = (now: number) => Promise<WaitingWork>;

/** Anybody who reaches the page could otherwise keep the database busy. */
const MIN_INTERVAL_MS = 5_000;

/** Resolves with the work that waits, as of at most five seconds ago; null while the database does not answer. */
export type RecentWaiting = () => Promise<WaitingWork | null>;

/** Creates the gauges of the work that waits in the database. The returned function brings them up to date. */
export function createWaitingGauges(registry: Registry, read: WaitingReader): RecentWaiting {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames: [...labelNames], registers: [registry] });
  const databaseUp = gauge('database_up', 'Whether the database answers.');
  const pending = gauge('pending_changes', 'Changes that wait for people.');
  const oldest = gauge('oldest_pending_change_seconds', 'Age of the oldest change that waits for people.');
  const signals = gauge('inbox_due', 'Webhooks and results that are due and not handled.');
  const effects = gauge('effects_due', 'Effects that are due and not performed.');
  const deadLetters = gauge('dead_letters', 'Signals that were given up and are kept.');
  const runs = gauge('runs', 'Runs that have not ended, by phase.', ['phase']);
  const show = async (now: number): Promise<WaitingWork | null> => {
    try {
      const waiting = await read(now);
      databaseUp.set(1);
      pending.set(waiting.pendingChanges);
      oldest.set(waiting.oldestPendingAt === null ? 0 : Math.max(0, now - waiting.oldestPendingAt) / 1_000);
      signals.set(waiting.dueSignals);
      effects.set(waiting.dueEffects);
      deadLetters.set(waiting.deadLetters);
      runs.reset();
      for (const { phase, count } of waiting.runs) runs.set({ phase }, count);
      return waiting;
    } catch {
      // The readiness check logs why. Numbers of before would hide the outage.
      databaseUp.set(0);
      for (const outdated of [pending, oldest, signals, effects, deadLetters, runs]) outdated.remove({});
      runs.reset();
      return null;
    }
  };
  let [readAt, recent] = [Number.NEGATIVE_INFINITY, Promise.resolve<WaitingWork | null>(null)];
  return () => {
    const now = Date.now();
    if (now - readAt >= MIN_INTERVAL_MS) [readAt, recent] = [now, show(now)];
    return recent;
  };
}
