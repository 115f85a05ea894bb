import type { Claimed, Lease, StoredEffect } from '../store/store.ts';
import type { Context } from './context.ts';
import { drain, LEASE_MS, takeEffect, UNCLAIMED } from './drain.ts';

/** Something claimed, ready to be worked on. */
export type Work = () => Promise<void>;

/** Who works: its name in claims, and whether it goes on to what follows, of its own accord, instead of leaving it to whoever looks next. */
export type Hand = {
  readonly context: Context;
  readonly worker: string;
  readonly stopping: AbortSignal;
  readonly mayGoOn: () => boolean;
};

/** Claims the pull request whose work is due longest; null where there is none. */
export async function claimPull({ context, worker, stopping }: Omit<Hand, 'mayGoOn'>): Promise<Work | null> {
  const claimed = await context.store.claimPull(worker, context.clock.now(), LEASE_MS);
  if (claimed === null) return null;
  const hand: Hand = { context, worker, stopping, mayGoOn: () => false };
  return async () => void (await workOnPull(hand, claimed));
}

/** Claims the effect that is due longest of those that need no pull request; null where there is none. */
export async function claimEffect(hand: Hand): Promise<Work | null> {
  const { store, clock } = hand.context;
  const stored = await store.claimEffect(hand.worker, clock.now(), LEASE_MS);
  return stored === null ? null : () => workOnEffects(hand, stored);
}

/** Performs the effect, works off what it led to, performs the effect that led to in turn, and so on while it may go on. */
async function workOnEffects(hand: Hand, stored: StoredEffect): Promise<void> {
  let effect: StoredEffect | null = stored;
  while (effect !== null) {
    const claimed = await workOnEffect(hand, effect);
    effect = claimed === null ? null : await workOnPull(hand, claimed);
  }
}

function workOnEffect(hand: Hand, stored: StoredEffect): Promise<Claimed | null> {
  const { context, stopping } = hand;
  const renew = (): Promise<boolean> => context.store.renewEffect(stored, context.clock.now(), LEASE_MS);
  return renewing(context, renew, () => takeEffect(context, stored, stopping, UNCLAIMED, mayTake(hand)));
}

/** The effect that was leased along where all was worked off; null where there is none. */
async function workOnPull(hand: Hand, { first, ...claim }: Claimed): Promise<StoredEffect | null> {
  const { context, stopping } = hand;
  const { store, clock } = context;
  const holding = { context, claim, stopping, mayTake: mayTake(hand) };
  let over = false;
  try {
    const renew = (): Promise<boolean> => store.renew(claim, clock.now(), LEASE_MS);
    const ended = await renewing(context, renew, () => drain(holding, first));
    over = ended !== null;
    return ended?.effect ?? null;
  } finally {
    if (!over) await store.release(claim);
  }
}

function mayTake({ worker, mayGoOn }: Hand): () => Lease | null {
  return () => (mayGoOn() ? { worker, ms: LEASE_MS } : null);
}

/** Works under a lease that lasts as long as the work, and not much longer than its process. */
async function renewing<T>(context: Context, renew: () => Promise<boolean>, work: () => Promise<T>): Promise<T> {
  const stop = context.clock.every(LEASE_MS / 3, () => {
    renew().catch((error: unknown) => context.log.warn({ err: error }, 'a lease could not be renewed'));
  });
  try {
    return await work();
  } finally {
    stop();
  }
}
