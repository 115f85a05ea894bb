import type { Claim, NewClaim, PullWork, StoredEffect, StoredSignal } from '../adapters/store/store.ts';
import { decide } from '../core/decide.ts';
import { WRITE_TIMEOUT_MS } from '../core/state/ports.ts';
import type { PullState } from '../core/state/run.ts';
import type { Signal } from '../core/state/signals.ts';
import { gatherFacts, localFacts, selectorForSignal } from './jobs/gather-facts.ts';
import type { WorkerContext } from './jobs/job.ts';
import { type AttemptStage, handleSignalFailure } from './jobs/retries.ts';
import { NO_CLAIM, runEffect } from './run-effect.ts';

/** How long a claim lasts without renewal. */
export const LEASE_MS = 15_000;

/** Renewals leave several seconds for a write to GitHub at any time, unless the process hangs. */
const RENEWAL_INTERVAL_MS = LEASE_MS / 5;

/** Performs claimed work. */
export type ClaimedWork = () => Promise<void>;

/** The claiming worker. */
type WorkerHandle = { readonly context: WorkerContext; readonly workerName: string; readonly stopping: AbortSignal };

/** Claims the pull request with the oldest due work; null if there is none. */
export async function claimNextPull(handle: WorkerHandle): Promise<ClaimedWork | null> {
  const { store, clock } = handle.context;
  const claimed = await store.claimPull(handle.workerName, clock.now(), LEASE_MS);
  return claimed === null ? null : () => processClaim(handle, claimed);
}

/** Claims the next due effect that needs no claim of its pull request; null if there is none. */
export async function claimNextEffect(handle: WorkerHandle): Promise<ClaimedWork | null> {
  const { store, clock } = handle.context;
  const stored = await store.claimEffect(handle.workerName, clock.now(), LEASE_MS);
  return stored === null ? null : () => runLeasedEffect(handle, stored);
}

function runLeasedEffect({ context, stopping }: WorkerHandle, stored: StoredEffect): Promise<void> {
  const renew = (now: number): Promise<boolean> => context.store.renewEffect(stored, now, LEASE_MS);
  const until = context.clock.now() + LEASE_MS;
  return withLeaseRenewal(context, { until, renew }, () => runEffect(context, stored, stopping, NO_CLAIM));
}

async function processClaim({ context, stopping }: WorkerHandle, { firstSignal, ...claim }: NewClaim): Promise<void> {
  const { store } = context;
  let isReleased = false;
  try {
    const lease: RenewableLease = { until: claim.leaseUntil, renew: (now) => store.renewClaim(claim, now, LEASE_MS) };
    isReleased = await withLeaseRenewal(context, lease, (isLeased) =>
      processPullRequest({ context, claim, stopping, isLeased }, firstSignal),
    );
  } finally {
    if (!isReleased) await store.releaseClaim(claim);
  }
}

/** A lease until a time (ms). `renew` extends it to `now + LEASE_MS`, or returns false if it is lost. */
type RenewableLease = { readonly until: number; readonly renew: (now: number) => Promise<boolean> };

/**
 * Performs work and renews its lease meanwhile. `isLeased` is true while a write to GitHub that starts now ends before
 * the lease can expire. It is false in a process that hung or lost its connection, before another worker takes over.
 */
async function withLeaseRenewal<T>(
  { store, clock, log }: WorkerContext,
  { until, renew }: RenewableLease,
  work: (isLeased: () => boolean) => Promise<T>,
): Promise<T> {
  let leaseUntil = until;
  const epoch = store.connectionEpoch();
  const renewOnce = async (): Promise<void> => {
    const now = clock.now();
    if (await renew(now)) leaseUntil = now + LEASE_MS;
  };
  const renewSafely = (): Promise<void> =>
    renewOnce().catch((error: unknown) => log.warn({ err: error }, 'lease renewal failed'));
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
export async function processPullRequest(claimed: ClaimedPull, firstSignal: StoredSignal | null): Promise<boolean> {
  const { context, claim, stopping, isLeased } = claimed;
  let work: PullWork | null = firstSignal === null ? null : { kind: 'signal', signal: firstSignal };
  while (!stopping.aborted && isLeased()) {
    work ??= await context.store.nextWork(claim, context.clock.now());
    if (work === null) return true;
    if (!(await performWork(claimed, work))) return false;
    work = null;
  }
  return false;
}

/** Returns false if the claim is lost. */
async function performWork(claimed: ClaimedPull, work: PullWork): Promise<boolean> {
  const { context, claim, stopping, isLeased } = claimed;
  if (work.kind === 'signal') return handleSignal(claimed, work.signal);
  await runEffect(context, work.effect, stopping, {
    decideNow: (signal) => decideAndSave(context, claim, signal),
    pendingCommentsDueAt: () => pendingCommentsDueAt(context, claim, work.effect),
    isLeased,
  });
  return true;
}

/** Returns false if the claim is lost. */
async function handleSignal({ context, claim }: ClaimedPull, stored: StoredSignal): Promise<boolean> {
  const { store, clock } = context;
  let pull: PullState | null = null;
  let stage: AttemptStage = 'storing';
  try {
    pull = await store.load(claim.pullRequestKey, selectorForSignal(stored.signal));
    stage = 'deciding';
    const step = decide(pull, stored.signal, await gatherFacts(context, pull, stored.signal));
    stage = 'storing';
    if (step.deferred) {
      await store.postponeSignal(claim, stored, clock.now() + deferralMs(stored, clock.now()), null);
      return true;
    }
    const result = await store.save(claim, stored, step, clock.now());
    if (result !== 'saved') return false;
    recordDecision(context, stored.signal, step.reason);
  } catch (error) {
    await handleSignalFailure(context, claim, stored, { error, stage, pull });
  }
  return true;
}

/** Shortest and longest pause before a deferred signal is handled again (ms). */
const DEFERRAL_RANGE_MS = [1_000, 5 * 60_000] as const;

/** A quarter of the signal's age, so that a signal that is deferred for days is not handled every second. */
export function deferralMs({ receivedAt }: Pick<StoredSignal, 'receivedAt'>, now: number): number {
  const [min, max] = DEFERRAL_RANGE_MS;
  return Math.min(Math.max(Math.round((now - receivedAt) / 4), min), max);
}

/** Decides a signal in the middle of an effect; null if comments are pending or the claim is lost. */
async function decideAndSave(context: WorkerContext, claim: Claim, signal: Signal): Promise<PullState | null> {
  const pull = await context.store.load(claim.pullRequestKey, selectorForSignal(signal));
  const step = decide(pull, signal, localFacts(context, pull));
  const result = await context.store.saveIfInboxEmpty(claim, signal, step, context.clock.now());
  if (result !== 'saved') return null;
  recordDecision(context, signal, step.reason);
  return step.pull;
}

function recordDecision(context: WorkerContext, signal: Signal, reason: string): void {
  const deliveryId = signal.type === 'intent' ? signal.deliveryId : undefined;
  context.recordMetric({ kind: 'signal', reason });
  context.log.info({ signal: signal.type, deliveryId, reason }, 'decided');
}

/** Comments might also be pending on GitHub, if their webhooks were lost: the catch-up effect finds these. */
async function pendingCommentsDueAt(
  { store, clock }: WorkerContext,
  claim: Claim,
  { effect }: StoredEffect,
): Promise<number | null> {
  const commentAt = await store.nextCommentAt(claim, clock.now());
  return commentAt !== null || effect.type === 'catch-up' ? commentAt : store.nextCatchUpAt(claim, clock.now());
}
