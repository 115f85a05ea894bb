import type { Claim, PullWork, StoredEffect } from '../adapters/store/store.ts';
import { WRITE_TIMEOUT_MS } from '../core/step/ports.ts';
import { decideNow, handleSignal } from './handle-signal.ts';
import type { WorkerContext } from './jobs/job.ts';
import { knownPullFields, logRetry } from './jobs/job-log.ts';
import { NO_CLAIM, runEffect } from './run-effect.ts';

/** Performs claimed work on a pull request. */
export type ClaimedWork = { (): Promise<void>; readonly pullRequestKey: string };

function claimedWork(pullRequestKey: string, perform: () => Promise<void>): ClaimedWork {
  return Object.assign(perform, { pullRequestKey });
}

/** The worker that claims. */
type ClaimingWorker = { readonly context: WorkerContext; readonly stopping: AbortSignal };

/** Claims the pull request with the oldest due work; null if there is none. */
export async function claimNextPull(worker: ClaimingWorker): Promise<ClaimedWork | null> {
  const { store, clock } = worker.context;
  const claimed = await store.claimPull(clock.now(), LEASE_MS);
  return claimed === null ? null : claimedWork(claimed.pullRequestKey, () => processClaim(worker, claimed));
}

/** Claims the next due effect that needs no claim of its pull request; null if there is none. */
export async function claimNextEffect(worker: ClaimingWorker): Promise<ClaimedWork | null> {
  const { store, clock } = worker.context;
  const stored = await store.claimEffect(clock.now(), LEASE_MS);
  return stored === null ? null : claimedWork(stored.pullRequestKey, () => runLeasedEffect(worker, stored));
}

function runLeasedEffect({ context, stopping }: ClaimingWorker, stored: StoredEffect): Promise<void> {
  const renew = (now: number): Promise<boolean> => context.store.renewEffect(stored, now, LEASE_MS);
  const until = context.clock.now() + LEASE_MS;
  return withLeaseRenewal(context, { pullRequestKey: stored.pullRequestKey, until, renew }, () =>
    runEffect(context, stored, stopping, NO_CLAIM),
  );
}

async function processClaim({ context, stopping }: ClaimingWorker, claim: Claim): Promise<void> {
  const { store } = context;
  let isReleased = false;
  try {
    const renew = (now: number): Promise<boolean> => store.renewClaim(claim, now, LEASE_MS);
    const lease: RenewableLease = { pullRequestKey: claim.pullRequestKey, until: claim.leaseUntil, renew };
    isReleased = await withLeaseRenewal(context, lease, (isLeased) =>
      processPullRequest({ context, claim, stopping, isLeased }),
    );
  } finally {
    if (!isReleased) await store.releaseClaim(claim);
  }
}

/** A claimed pull request. `isLeased` is true while a write to GitHub can start safely. */
type ClaimedPull = {
  readonly context: WorkerContext;
  readonly claim: Claim;
  readonly stopping: AbortSignal;
  readonly isLeased: () => boolean;
};

/**
 * Handles the signals of a pull request in order, then performs its effects. Returns true once nothing is due: the
 * store has released the claim then. Returns false if the claim is or might be lost, or if the process stops.
 */
export async function processPullRequest(claimed: ClaimedPull): Promise<boolean> {
  const { context, claim, stopping, isLeased } = claimed;
  while (!stopping.aborted && isLeased()) {
    const work = await context.store.nextWork(claim, context.clock.now());
    if (work === null) return true;
    if (!(await performWork(claimed, work))) return false;
  }
  return false;
}

/** Handles a signal or performs an effect; false if the claim is lost. */
async function performWork(claimed: ClaimedPull, work: PullWork): Promise<boolean> {
  const { context, claim, stopping, isLeased } = claimed;
  if (work.kind === 'signal') return handleSignal(context, claim, work.signal);
  await runEffect(context, work.effect, stopping, {
    decideNow: (signal) => decideNow(context, claim, signal),
    pendingCommentsDueAt: () => context.store.nextCommentAt(claim, context.clock.now()),
    isLeased,
  });
  return true;
}

/** How long a claim lasts without renewal (ms). */
export const LEASE_MS = 15_000;

/** Renewals leave several seconds for a write to GitHub at any time, unless the process hangs. */
const RENEWAL_INTERVAL_MS = LEASE_MS / 5;

/** A lease until a time (ms). `renew` extends it to `now + LEASE_MS`, or returns false if it is lost. */
type RenewableLease = {
  readonly pullRequestKey: string;
  readonly until: number;
  readonly renew: (now: number) => Promise<boolean>;
};

/**
 * Performs work and renews its lease meanwhile. `isLeased` is true while a write to GitHub that starts now ends before
 * the lease can expire. It is false in a process that hung or lost its database, before another worker takes over.
 */
async function withLeaseRenewal<T>(
  context: WorkerContext,
  { until, renew, pullRequestKey }: RenewableLease,
  work: (isLeased: () => boolean) => Promise<T>,
): Promise<T> {
  const { clock, log } = context;
  let leaseUntil = until;
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
    return await work(() => clock.now() < leaseUntil - WRITE_TIMEOUT_MS);
  } finally {
    stop();
  }
}
