import type { Claim } from '../store/store.ts';
import type { Context } from './context.ts';
import { drain, LEASE_MS, takeEffect, UNCLAIMED } from './drain.ts';

/** Something claimed, ready to be worked on. */
export type Work = () => Promise<void>;

/** Longer than a model call may take. */
const LONG_LEASE_MS = 150_000;

/** Claims the pull request whose work is due longest; null where there is none. */
export async function claimPull(context: Context, worker: string, stopping: AbortSignal): Promise<Work | null> {
  const claim = await context.store.claimPull(worker, context.clock.now(), LEASE_MS);
  return claim === null ? null : () => workOnPull(context, claim, stopping);
}

async function workOnPull(context: Context, claim: Claim, stopping: AbortSignal): Promise<void> {
  const heartbeat = setInterval(() => renew(context, claim), LEASE_MS / 3);
  try {
    await drain(context, claim, stopping);
  } finally {
    clearInterval(heartbeat);
    await context.store.release(claim);
  }
}

function renew(context: Context, claim: Claim): void {
  context.store
    .renew(claim, context.clock.now(), LEASE_MS)
    .catch((error: unknown) => context.log.warn({ err: error }, 'a lease could not be renewed'));
}

/** Claims the effect that is due longest of those that need no pull request; null where there is none. */
export async function claimEffect(context: Context, worker: string, stopping: AbortSignal): Promise<Work | null> {
  const stored = await context.store.claimEffect(worker, context.clock.now(), LONG_LEASE_MS);
  return stored === null ? null : () => takeEffect(context, stored, stopping, UNCLAIMED);
}
