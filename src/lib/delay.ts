import { KnownFaultError } from './outage.ts';

/** Resolves after `ms`. A pending delay does not keep the process running. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Whole ms since a time of `performance.now()`. */
export function msSince(begunAt: number): number {
  return Math.round(performance.now() - begunAt);
}

/** Settles like `work`, or rejects with this message after `ms`. The work itself continues. */
export async function withTimeout<Result>(work: Promise<Result>, ms: number, message: string): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new KnownFaultError(message)), ms);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
