import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { EffectType } from '../run/effect.ts';
import type { Reason } from '../run/reason.ts';
import type { Signal } from '../run/signal.ts';
import { whileHeld } from './claims.ts';
import { type Claim, type Failure, type Fault, type Sequel, type StoredSignal, TOLD_FAULTS } from './store.ts';
import { plainText, toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';
import { wantEffects } from './want-effects.ts';

/**
 * When the earliest of what people said can be heard (ms): `now` where it is due, null where nothing of theirs waits.
 * Not fenced: it changes nothing, and is as true for a former holder.
 */
export async function heldUntil(db: Kysely<Tables>, claim: Claim, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('inbox')
    .innerJoin('pulls', 'pulls.pull_key', 'inbox.pull_key')
    .select(['inbox.not_before', 'pulls.held_until'])
    .where('inbox.pull_key', '=', claim.pullKey)
    .where('inbox.kind', '=', 'intent')
    .where('inbox.done_at', 'is', null)
    .orderBy('inbox.not_before')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : Math.max(now, row.not_before, row.held_until);
}

/**
 * When it next asks for what no webhook told (ms): null where it has not to catch up. A first try is always due. As little
 * fenced as `heldUntil`.
 */
export async function unheardUntil(db: Kysely<Tables>, claim: Claim, now: number): Promise<number | null> {
  const type: EffectType = 'catch-up';
  const row = await db
    .selectFrom('effects')
    .select(sql<number | null>`min(case when attempts > 0 then not_before else 0 end)`.as('at'))
    .where('pull_key', '=', claim.pullKey)
    .where('type', '=', type)
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.at === null ? null : Math.max(now, row.at);
}

/** Whether a due outcome waits for this pull request, or anything that people said, due or put back. */
export async function hasWaitingSignal(
  transaction: Transaction<Tables>,
  pullKey: string,
  now: number,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('inbox')
    .select('id')
    .where('pull_key', '=', pullKey)
    .where('done_at', 'is', null)
    .where((row) => row.or([row('kind', '=', 'intent'), row('not_before', '<=', now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether a row is this very signal. A server that dies may forget an outcome that somebody is at, and give its id to what
 * people say next: that was received at another time.
 */
export function isIt({ id, receivedAt }: StoredSignal): RawBuilder<boolean> {
  return sql<boolean>`inbox.id = ${id} and inbox.received_at = ${receivedAt}`;
}

/** Marks a signal done; false where it was already. Words that are none of our business are not kept. */
export async function settleSignal(
  transaction: Transaction<Tables>,
  claim: Claim,
  signal: StoredSignal,
  reason: Reason,
  now: number,
): Promise<boolean> {
  const result = await transaction
    .updateTable('inbox')
    .set({ done_at: now, reason, ...(reason === 'not-ours' ? { signal: null } : {}) })
    .where(isIt(signal))
    .where('pull_key', '=', claim.pullKey)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Puts a signal back until `notBefore`. With a failure that counts as an attempt, and no later intent of the pull request
 * overtakes it; without one it only waits for an effect's outcome, and others go on.
 */
export async function postponeSignal(
  db: Kysely<Tables>,
  claim: Claim,
  signal: StoredSignal,
  notBefore: number,
  failure: Failure | null,
): Promise<void> {
  const counted = failure === null ? {} : countedAs(signal, failure);
  await whileHeld(db, claim, null, async (transaction) => {
    await transaction
      .updateTable('inbox')
      .set({ not_before: notBefore, ...counted })
      .where(isIt(signal))
      .where('done_at', 'is', null)
      .execute();
    if (failure !== null && signal.signal.type === 'intent') await holdIntents(transaction, claim, notBefore);
  });
}

function countedAs({ attempts, faults }: StoredSignal, { words, ours }: Failure) {
  return { error: plainText(words), attempts: attempts + 1, faults: ours ? faults + 1 : 0 };
}

async function holdIntents(transaction: Transaction<Tables>, claim: Claim, until: number): Promise<void> {
  await transaction.updateTable('pulls').set({ held_until: until }).where('pull_key', '=', claim.pullKey).execute();
}

/** Gives a signal up: the row stays, with its fault, for people to look at; and whoever waits for an answer is told. */
export async function parkSignal(
  db: Kysely<Tables>,
  claim: Claim,
  signal: StoredSignal,
  fault: Fault,
  { told, outcome }: Sequel,
  now: number,
): Promise<void> {
  await whileHeld(db, claim, null, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('inbox')
      .set({ done_at: now, parked: true, error: plainText(fault.words), fault_id: fault.id })
      .where(isIt(signal))
      .where('done_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (outcome !== null) await addOutcome(transaction, claim.pullKey, outcome, now);
    if (told !== null && (await parkedOn(transaction, claim.pullKey)) <= TOLD_FAULTS)
      await wantEffects(transaction, claim.pullKey, [told], now);
  });
}

async function addOutcome(transaction: Transaction<Tables>, pullKey: string, signal: Signal, now: number) {
  const row = { kind: 'outcome', signal: toStored(signal), received_at: now, not_before: now } as const;
  await transaction
    .insertInto('inbox')
    .values({ pull_key: pullKey, ...row })
    .execute();
}

async function parkedOn(transaction: Transaction<Tables>, pullKey: string): Promise<number> {
  const { parked } = await transaction
    .selectFrom('inbox')
    .select((row) => row.fn.countAll<number>().as('parked'))
    .where('pull_key', '=', pullKey)
    .where('parked', '=', true)
    .executeTakeFirstOrThrow();
  return Number(parked);
}
