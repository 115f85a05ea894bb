import type { Pull } from '../run/run.ts';
import type { Claimed, Lease, StoredEffect } from '../store/store.ts';
import type { Context } from './context.ts';
import { drain, LEASE_MS, takeEffect, UNCLAIMED } from './drain.ts';
import { WRITE_TIMEOUT_MS } from './ports.ts';

/** A lease is renewed so often (ms) that a write may always begin, with some seconds to spare, while its process does not hang. */
const RENEWED_MS = LEASE_MS / 5;

/** Something claimed, ready to be worked on. */
export type Work = () => Promise<void>;

/** Who works, under which name in claims, until told to stop. */
type Hand = { readonly context: Context; readonly worker: string; readonly stopping: AbortSignal };

/** One that goes on to what follows, as long as it may, instead of leaving that to whoever looks next. */
export type GoingOn = Hand & {
  readonly mayGoOn: () => boolean;
  /** It has given a pull request back and goes on: what came for that one meanwhile is for others. */
  readonly gaveBack: () => void;
};

/** An effect that is leased to us, and its pull request where that is known. */
type Leased = { readonly stored: StoredEffect; readonly known: Pull | null };

const STAYS = { mayGoOn: () => false, gaveBack: () => {} };

/** Claims the pull request whose work is due longest; null where there is none. */
export async function claimPull(hand: Hand): Promise<Work | null> {
  const { store, clock } = hand.context;
  const claimed = await store.claimPull(hand.worker, clock.now(), LEASE_MS);
  return claimed === null ? null : async () => void (await workOnPull({ ...hand, ...STAYS }, claimed));
}

/** Claims the effect that is due longest of those that need no pull request; null where there is none. */
export async function claimEffect(hand: GoingOn): Promise<Work | null> {
  const { store, clock } = hand.context;
  const stored = await store.claimEffect(hand.worker, clock.now(), LEASE_MS);
  return stored === null ? null : () => workOnEffects(hand, { stored, known: null });
}

/** Performs the effect, works off what it led to, performs the effect that led to in turn, and so on while it may go on. */
async function workOnEffects(hand: GoingOn, first: Leased): Promise<void> {
  let leased: Leased | null = first;
  while (leased !== null) {
    const claimed = await workOnEffect(hand, leased);
    leased = claimed === null ? null : await workOnPull(hand, claimed);
    if (leased !== null) hand.gaveBack();
  }
}

function workOnEffect(hand: GoingOn, { stored, known }: Leased): Promise<Claimed | null> {
  const { context, stopping } = hand;
  const renew = (now: number): Promise<boolean> => context.store.renewEffect(stored, now, LEASE_MS);
  const until = context.clock.now() + LEASE_MS;
  return renewing(context, { until, renew }, () =>
    takeEffect(context, stored, stopping, { ...UNCLAIMED, known }, mayTake(hand)),
  );
}

/** The effect that was leased along where all was worked off; null where there is none. */
async function workOnPull(hand: GoingOn, { first, ...claim }: Claimed): Promise<Leased | null> {
  const { context, stopping } = hand;
  const { store } = context;
  const holding = { context, claim, stopping, mayTake: mayTake(hand) };
  let over = false;
  try {
    const renew = (now: number): Promise<boolean> => store.renew(claim, now, LEASE_MS);
    const leased = { until: claim.leaseUntil, renew };
    const ended = await renewing(context, leased, (isLeased) => drain({ ...holding, isLeased }, first));
    over = ended !== null;
    return ended?.effect ? { stored: ended.effect, known: ended.pull ?? null } : null;
  } finally {
    if (!over) await store.release(claim);
  }
}

function mayTake({ worker, mayGoOn }: GoingOn): () => Lease | null {
  return () => (mayGoOn() ? { worker, ms: LEASE_MS } : null);
}

/** A lease until then (ms), and how to have it until `LEASE_MS` after a later time; false where it is lost. */
type Renewable = { readonly until: number; readonly renew: (now: number) => Promise<boolean> };

/**
 * Works under a lease that lasts as long as the work, and not much longer than its process. `isLeased` while what is
 * written now comes to GitHub, or never, before it has passed: a process that hung hears of it before it knows whether others
 * have taken the work over.
 */
async function renewing<T>(
  { clock, log }: Context,
  { until, renew }: Renewable,
  work: (isLeased: () => boolean) => Promise<T>,
): Promise<T> {
  let leasedUntil = until;
  const renewOnce = async (): Promise<void> => {
    const now = clock.now();
    if (await renew(now)) leasedUntil = now + LEASE_MS;
  };
  const renewSafely = (): Promise<void> =>
    renewOnce().catch((error: unknown) => log.warn({ err: error }, 'a lease could not be renewed'));
  // It began when it was asked for: where the answer was long in coming, much of it is over.
  if (clock.now() > until - LEASE_MS + RENEWED_MS) await renewSafely();
  const stop = clock.every(RENEWED_MS, () => void renewSafely());
  try {
    return await work(() => clock.now() < leasedUntil - WRITE_TIMEOUT_MS);
  } finally {
    stop();
  }
}
