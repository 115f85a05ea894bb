import { setTimeout as sleep } from 'node:timers/promises';

/** The value below which `part` (0 to 1) of all values lie: 0.5 is the median, 1 the maximum. NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Short, because a longer interval would distort latencies of some tens of ms. */
const POLL_INTERVAL_MS = 2;

const POLL_TIMEOUT_MS = 60_000;

/** Resolves once `isDone` returns true. Throws at the timeout. */
export async function pollUntil(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + POLL_TIMEOUT_MS;
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${POLL_TIMEOUT_MS} ms.`);
    await sleep(POLL_INTERVAL_MS);
  }
}
