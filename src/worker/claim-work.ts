import type { Claim } from '../store/store.ts';
import type { Context } from './context.ts';
import { drain, LEASE_MS, takeEffect, UNCLAIMED } from './drain.ts';

/** Something claimed, ready to be worked on. */
export type Work = () => Promise<void>;

/** Claims the pull request whose work is due longest; null where there is none. */
export async function claimPull(context: Context, worker: string, stopping: AbortSignal): Promise<Work | null> {
  const claim = await context.store.claimPull(worker, context.clock.now(), LEASE_MS);
  return claim === null ? null : () => workOnPull(context, claim, stopping);
}

async function workOnPull(context: Context, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { store, clock } = context;
  try {
    await renewing(
      context,
      () => store.renew(claim, clock.now(), LEASE_MS),
      () => drain(context, claim, stopping),
    );
  } finally {
    await store.release(claim);
  }
}

/** Works under a lease that lasts as long as the work, and not much longer than its process. */
async function renewing(context: Context, renew: () => Promise<boolean>, work: Work): Promise<void> {
  const stop = context.clock.every(LEASE_MS / 3, () => {
    renew().catch((error: unknown) => context.log.warn({ err: error }, 'a lease could not be renewed'));
  });
  try {
    await work();
  } finally {
    stop();
  }
}

/** Claims the effect that is due longest of those that need no pull request; null where there is none. */
export async function claimEffect(context: Context, worker: string, stopping: AbortSignal): Promise<Work | null> {
  const { store, clock } = context;
  const stored = await store.claimEffect(worker, clock.now(), LEASE_MS);
  if (stored === null) return null;
  return () =>
    renewing(
      context,
      () => store.renewEffect(stored, clock.now(), LEASE_MS),
      () => takeEffect(context, stored, stopping, UNCLAIMED),
    );
}
