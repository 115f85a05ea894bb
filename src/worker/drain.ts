import type { Rank } from '../budget/limits.ts';
import { decide } from '../run/decide.ts';
import { RANK_OF } from '../run/effect.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type {
  Claim,
  Claimed,
  Delay,
  GivenBack,
  Lease,
  PullWork,
  StoppedBy,
  StoredEffect,
  StoredSignal,
} from '../store/store.ts';
import { isLasting, isLimit, isOurs, REFUSED_TRIES, retryTime, wordsOf } from './backoff.ts';
import type { Context } from './context.ts';
import { faultId } from './fault-id.ts';
import { baseFacts, gather } from './gather.ts';
import { givenUp } from './given-up.ts';
import type { Job, Outcome } from './job.ts';
import { namedBy } from './named-by.ts';
import { perform } from './perform.ts';
import { type Doing, putBack } from './put-back.ts';

/** How long a claim lasts without being renewed. */
export const LEASE_MS = 15_000;

/**
 * Tries of an effect that only tells people something, and how long it is tried at least since it was wanted last (ms); the
 * others are looked after for as long as it takes.
 */
const TELLING_TRIES = 12;
const TELLING_MS = 15 * 60_000;
/** The same of what holds back commits until it is known what people said; nothing expires before it is. */
const HEARING_MS = 60 * 60_000;
/**
 * Tries of an effect that a fault of ours stops, some twenty minutes: it may be a fault of the database that nobody
 * knows to pass. Its outages are counted apart.
 */
const MOST_FAULTS = 12;
/** After so long without success (ms) people hear that a commit is delayed. */
const DELAYED_MS = 30_000;
/** Words that wait for what is under way are looked at again after so long at least, and at most (ms). */
const WAIT_MS = [1_000, 5 * 60_000] as const;

/** A quarter of the time that they have waited already: what takes days is not asked about every second. */
export function waitOf({ receivedAt }: Pick<StoredSignal, 'receivedAt'>, now: number): number {
  const [least, most] = WAIT_MS;
  return Math.min(Math.max(Math.round((now - receivedAt) / 4), least), most);
}

/**
 * A pull request that is worked off: `mayTake` leases an effect that it leads to, where there is room for one; `isLeased` while
 * the lease outlasts a write that begins now: later, as where the process hung, others may have taken it over by the time it
 * comes to GitHub.
 */
export type Holding = {
  readonly context: Context;
  readonly claim: Claim;
  readonly stopping: AbortSignal;
  readonly mayTake: () => Lease | null;
  readonly isLeased: () => boolean;
};

export const NEVER = (): null => null;
const NOTHING_MORE: GivenBack = { kind: 'given-back', effect: null };

/**
 * Works off one pull request: its signals in order, then its effects, until nothing is due (the claim is given back then, and
 * what was leased along is still to be performed), the claim is lost or may be, or the process stops (null).
 */
export async function drain(holding: Holding, first: StoredSignal | null): Promise<GivenBack | null> {
  const { context, claim, stopping, isLeased } = holding;
  let work: PullWork | null = first === null ? null : { kind: 'signal', signal: first };
  const isStillOurs = oursFromNow(context, isLeased);
  while (!stopping.aborted && isStillOurs()) {
    work ??= await context.store.nextWork(claim, context.clock.now());
    if (work === null) return NOTHING_MORE;
    const result = await carryOut(holding, work);
    if (result !== 'saved') return result === 'lost' ? null : result;
    work = null;
  }
  return null;
}

/**
 * When what people said last can be heard: what is stored, and then, unless that is what is being asked for, what no webhook
 * told while the App was suspended, or longer ago than GitHub remembers.
 */
async function wordsDue({ store, clock }: Context, claim: Claim, { effect }: StoredEffect): Promise<number | null> {
  const said = await store.heldUntil(claim, clock.now());
  return said !== null || effect.type === 'catch-up' ? said : store.unheardUntil(claim, clock.now());
}

type Carried = 'saved' | 'lost' | GivenBack;

async function carryOut(holding: Holding, work: PullWork): Promise<Carried> {
  const { context, claim, stopping, isLeased } = holding;
  if (work.kind === 'signal') return takeSignal(holding, work.signal);
  await takeEffect(context, work.effect, stopping, {
    decideNow: (direct) => decideDirect(context, claim, direct),
    wordsDue: () => wordsDue(context, claim, work.effect),
    known: null,
    isLeased,
  });
  return 'saved';
}

async function takeSignal({ context, claim, mayTake }: Holding, stored: StoredSignal): Promise<Carried> {
  const { store, clock } = context;
  let pull: Pull | null = null;
  let doing: Doing = 'storing';
  try {
    pull = await store.load(claim.pullKey, namedBy(stored.signal));
    doing = 'deciding';
    const step = decide(pull, stored.signal, await gather(context, pull, stored.signal));
    doing = 'storing';
    if (step.wait) {
      await store.postponeSignal(claim, stored, clock.now() + waitOf(stored, clock.now()), null);
      return 'saved';
    }
    const result = await store.save(claim, stored, step, clock.now(), { lease: mayTake() });
    if (result === 'lost' || result === 'signals-waiting') return 'lost';
    report(context, stored.signal, step.reason);
    return result;
  } catch (error) {
    await putBack(context, claim, stored, { error, doing, pull });
    return 'saved';
  }
}

function report(context: Context, signal: Signal, reason: string): void {
  const delivery = signal.type === 'intent' ? signal.deliveryId : undefined;
  context.count({ kind: 'signal', reason });
  context.log.info({ signal: signal.type, delivery, reason }, 'decided');
}

/** Decides a signal of an effect that is under way, unless people's words wait. */
async function decideDirect(context: Context, claim: Claim, signal: Signal): Promise<Pull | null> {
  const pull = await context.store.load(claim.pullKey, namedBy(signal));
  const step = decide(pull, signal, baseFacts(context, pull));
  const result = await context.store.saveDirect(claim, signal, step, context.clock.now());
  if (result !== 'saved') return null;
  report(context, signal, step.reason);
  return step.pull;
}

/** What only the holder of a pull request can do, and what is known of it. */
type Standing = Pick<Job, 'decideNow' | 'wordsDue' | 'known'> & Pick<Holding, 'isLeased'>;

/** For effects that hold no pull request: they decide nothing, and write nothing to GitHub. */
export const UNCLAIMED: Standing = {
  decideNow: () => Promise.resolve(null),
  wordsDue: () => Promise.resolve(null),
  known: null,
  isLeased: () => true,
};

/** The same, with a GitHub that counts what is asked of it for this rank, and takes writes only while `isStillOurs`. */
function ranked(context: Context, rank: Rank, isStillOurs: () => boolean): Context {
  const { githubs } = context;
  return { ...context, githubs: { ...githubs, for: (ref) => githubs.for(ref, rank, isStillOurs) } };
}

/**
 * Whether what is begun now is ours yet. Past its lease others may have it; while the connection breaks others may take it
 * over; and a server that dies may forget it: then somebody else begins it as the first, without a look at what was written,
 * and is put back by whoever had it before.
 */
function oursFromNow({ store }: Pick<Context, 'store'>, isLeased: () => boolean): () => boolean {
  const tenure = store.tenure();
  return () => isLeased() && tenure !== null && store.tenure() === tenure;
}

/**
 * Performs an effect and stores what came of it; where a lease may be taken, its pull request may be claimed along with that.
 * Nothing that goes wrong leaves this function as an exception.
 */
export async function takeEffect(
  context: Context,
  stored: StoredEffect,
  stopping: AbortSignal,
  { isLeased, ...standing }: Standing,
  mayTake: () => Lease | null = NEVER,
): Promise<Claimed | null> {
  const { attempts, effect } = stored;
  const isStillOurs = oursFromNow(context, isLeased);
  const rank = RANK_OF[effect.type];
  const job: Job = { context: ranked(context, rank, isStillOurs), stored, effect, attempts, stopping, ...standing };
  const outcome = await attemptOnce(job, isStillOurs);
  const now = context.clock.now();
  context.count({ kind: 'effect', effect: effect.type, outcome: outcome.kind });
  if (outcome.kind === 'done') return context.store.finishEffect(stored, outcome.signal, now, mayTake() ?? undefined);
  // One that the database may have forgotten is taken up anew, as after a crash.
  if (isStillOurs() || outcome.signal !== undefined) await context.store.postponeEffect(stored, delayOf(outcome, now));
  return null;
}

function delayOf({ at, error, stoppedBy = 'other', signal }: Extract<Outcome, { kind: 'again' }>, now: number): Delay {
  return { now, notBefore: at, error, stoppedBy, signal: signal ?? null };
}

async function attemptOnce(job: Job, isStillOurs: () => boolean): Promise<Outcome> {
  try {
    return await perform(job);
  } catch (error) {
    return afterFailure(job, error, isStillOurs());
  }
}

function afterFailure(job: Job, error: unknown, isOursYet: boolean): Outcome {
  const { context, stored, attempts } = job;
  const now = context.clock.now();
  const fields = { err: error, effect: stored.effect.type, attempts };
  if (job.stopping.aborted) return { kind: 'again', at: now, error: 'the process stopped' };
  if (mayBeGivenUp(job, error)) {
    const fault = isOurs(error) ? faultId(stored.pullKey, 'effect', stored.id) : null;
    context.log.error({ ...fields, ...(fault === null ? {} : { fault }) }, 'an effect was given up');
    return { kind: 'done', signal: givenUp(stored, fault) };
  }
  context.log.warn(fields, 'an effect will be tried again');
  return {
    kind: 'again',
    at: retryTime(now, attempts, error, wantedFor(job)),
    error: wordsOf(error),
    stoppedBy: stoppedBy(error),
    // What may be forgotten is put back only for what nobody else comes to know.
    ...(isOursYet ? toldOf(job, error) : {}),
  };
}

/** People hear once of a commit that could not be made for half a minute: nobody sees a reason to wait otherwise (S87). */
function toldOf(job: Job, error: unknown): { readonly signal?: Signal } {
  const { effect } = job;
  if (effect.type !== 'commit' || isLimit(error) || wantedFor(job) < DELAYED_MS) return {};
  const { runId, proposalIds, place } = effect;
  return { signal: { type: 'commit-delayed', runId, proposalIds, place } };
}

function stoppedBy(error: unknown): StoppedBy {
  if (isLimit(error)) return 'limit';
  return isOurs(error) ? 'us' : 'other';
}

/**
 * A commit that was tried before may have landed unseen: no answer to a look around proves that it has not. Only where
 * GitHub shows nothing for days is it given up. A limit ends by itself, so nothing is given up for it, nor do its tries count:
 * where the App was suspended for long, the first mishap after it would be the last.
 */
function mayBeGivenUp(job: Job, error: unknown): boolean {
  const { attempts, effect, stored } = job;
  if (isOurs(error)) return stored.faults + 1 >= MOST_FAULTS && effect.type !== 'commit';
  if (isLimit(error)) return false;
  const tries = attempts - stored.limited;
  if (isLasting(error)) return effect.type !== 'commit' || attempts === 1 || tries >= REFUSED_TRIES;
  if (effect.type === 'catch-up' && !effect.expiring) return tries >= TELLING_TRIES && wantedFor(job) >= HEARING_MS;
  return tries >= TELLING_TRIES && wantedFor(job) >= TELLING_MS && RANK_OF[effect.type] === 'tell';
}

/** How long it has been waited for (ms). */
function wantedFor({ context, stored }: Job): number {
  return context.clock.now() - Date.parse(stored.since);
}
