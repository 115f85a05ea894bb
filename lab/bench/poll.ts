import { setTimeout as sleep } from 'node:timers/promises';

/** Limits of a poll, in ms. */
type PollOptions = { readonly timeoutMs?: number; readonly intervalMs?: number };

/** For latencies of some tens of ms, which a longer interval would distort. */
export const FINE_POLL = { timeoutMs: 60_000, intervalMs: 2 } as const satisfies PollOptions;

/** Resolves once `isDone` returns true. Throws at the timeout. */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { timeoutMs = 120_000, intervalMs = 5 }: PollOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${timeoutMs} ms.`);
    await sleep(intervalMs);
  }
}
