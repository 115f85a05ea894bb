import { WRITE_TIMEOUT_MS } from '../core/state/ports.ts';
import type { WorkerContext } from './jobs/job.ts';
import { knownPullFields, logRetry } from './jobs/job-log.ts';

/** How long a claim lasts without renewal (ms). */
export const LEASE_MS = 15_000;

/** Renewals leave several seconds for a write to GitHub at any time, unless the process hangs. */
const RENEWAL_INTERVAL_MS = LEASE_MS / 5;

/** A lease until a time (ms). `renew` extends it to `now + LEASE_MS`, or returns false if it is lost. */
export type RenewableLease = {
  readonly pullRequestKey: string;
  readonly until: number;
  readonly renew: (now: number) => Promise<boolean>;
};

/**
 * Performs work and renews its lease meanwhile. `isLeased` is true while a write to GitHub that starts now ends before
 * the lease can expire. It is false in a process that hung or lost its connection, before another worker takes over.
 */
export async function withLeaseRenewal<T>(
  context: WorkerContext,
  { until, renew, pullRequestKey }: RenewableLease,
  work: (isLeased: () => boolean) => Promise<T>,
): Promise<T> {
  const { store, clock, log } = context;
  let leaseUntil = until;
  const epoch = store.connectionEpoch();
  const renewOnce = async (): Promise<void> => {
    const now = clock.now();
    if (await renew(now)) leaseUntil = now + LEASE_MS;
  };
  const renewSafely = (): Promise<void> =>
    renewOnce().catch((error: unknown) =>
      logRetry(
        context,
        { log, level: 'warn', message: 'lease renewal failed' },
        error,
        knownPullFields(context, pullRequestKey),
      ),
    );
  // The lease started with the request: after a slow response only part of it remains.
  if (clock.now() > until - LEASE_MS + RENEWAL_INTERVAL_MS) await renewSafely();
  const stop = clock.every(RENEWAL_INTERVAL_MS, () => void renewSafely());
  try {
    return await work(
      () => clock.now() < leaseUntil - WRITE_TIMEOUT_MS && epoch !== null && store.connectionEpoch() === epoch,
    );
  } finally {
    stop();
  }
}
