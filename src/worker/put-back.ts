import { faultAnswer, mayBeNo } from '../run/fault-answer.ts';
import type { Pull } from '../run/run.ts';
import type { Claim, Sequel, StoredSignal } from '../store/store.ts';
import { UnknownSchema } from '../store/unknown-schema.ts';
import { isLasting, isOurs, REFUSED_TRIES, retryTime, wordsOf } from './backoff.ts';
import type { Context } from './context.ts';
import { faultId } from './fault-id.ts';

/**
 * Tries of one signal that a fault of ours stops; then it is put aside and blocks nothing. An outage of the database is
 * none, and counts nothing here; what cannot be loaded or saved gets more tries all the same, for a fault of the
 * database may be one that nobody knows to pass.
 */
const TRIES = { deciding: 5, storing: 8 } as const;
export type Doing = keyof typeof TRIES;
/** Tries of what waits for a form of another version: half a minute, in which that version's process may take it over (S84). */
const FORM_TRIES = 6;

/** What stopped a try, what it was at, and the pull request where that could be read. */
export type Stopped = { readonly error: unknown; readonly doing: Doing; readonly pull: Pull | null };

/** Puts a signal back that could not be decided, or aside where no further try is worth it. */
export async function putBack(context: Context, claim: Claim, stored: StoredSignal, stopped: Stopped): Promise<void> {
  const { store, clock, log } = context;
  const { error } = stopped;
  const attempts = stored.attempts + 1;
  if (isGivenUp(stored, stopped)) return putAside(context, claim, stored, stopped);
  log.warn({ err: error, signal: stored.id, attempts }, 'a signal could not be decided yet');
  const failure = { words: wordsOf(error), ours: isOurs(error) };
  await store.postponeSignal(claim, stored, retryTime(clock.now(), attempts, error), failure);
}

async function putAside(context: Context, claim: Claim, stored: StoredSignal, { error, pull }: Stopped): Promise<void> {
  const { store, clock, log, count } = context;
  const {
    id: signal,
    signal: { type },
  } = stored;
  const delivery = stored.signal.type === 'intent' ? stored.signal.deliveryId : undefined;
  const fault = faultId(claim.pullKey, 'signal', stored.id);
  count({ kind: 'signal', reason: 'put-aside' });
  log.error({ err: error, fault, signal, type, delivery }, 'a signal was put aside');
  const about = error instanceof UnknownSchema ? 'form' : undefined;
  const sequel = isGone(stored, error) ? GONE : sequelOf(stored, pull, fault, about);
  await store.parkSignal(claim, stored, { id: fault, words: wordsOf(error) }, sequel, clock.now());
}

/** Nobody can be told, and without this outcome its run would stand still. */
const GONE: Sequel = { told: null, outcome: { type: 'access-lost', loss: 'unreachable' } };

function isGone({ signal }: StoredSignal, error: unknown): boolean {
  return signal.type !== 'intent' && isLasting(error);
}

function sequelOf({ signal }: StoredSignal, pull: Pull | null, fault: string, about?: 'form'): Sequel {
  return {
    told: faultAnswer(signal, pull, fault, about),
    outcome: mayBeNo(signal, pull) ? { type: 'put-aside', fault } : null,
  };
}

/**
 * An outage of GitHub or of the database ends; what people said during it must not be lost, and without an outcome its
 * run would stand still.
 */
function isGivenUp({ attempts, faults }: StoredSignal, { error, doing }: Stopped): boolean {
  if (error instanceof UnknownSchema) return attempts + 1 >= FORM_TRIES;
  if (isOurs(error)) return faults + 1 >= TRIES[doing];
  return isLasting(error) && attempts + 1 >= REFUSED_TRIES;
}
