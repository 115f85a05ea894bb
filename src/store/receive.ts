import type { Kysely, Transaction } from 'kysely';
import type { PullRef } from '../command/intent.ts';
import { newPull, pullKey } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import { pullState } from './pull-state.ts';
import type { Delivery } from './store.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** A delivery and when it came. */
export type Received = { readonly delivery: Delivery; readonly now: number };
export type Receipt = 'stored' | 'duplicate';
type KeyedRef = readonly [key: string, ref: PullRef];

/** Rows of one insert; PostgreSQL takes at most 65,535 parameters. */
const MOST_ROWS = 1_000;
const DEADLOCK = '40P01';
const TRIES = 3;

/**
 * Stores deliveries in one transaction, all or none; one answer each, in order. A delivery whose id or natural key is
 * known is a duplicate and changes nothing, whatever else it says.
 */
export async function receive(db: Kysely<Tables>, received: readonly Received[]): Promise<readonly Receipt[]> {
  if (received.length === 0) return [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute((transaction) => insertAll(transaction, received));
    } catch (error) {
      // Two processes that store the same deliveries in another order may block each other; one is told to try again.
      if (attempt === TRIES || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DEADLOCK;
}

async function insertAll(transaction: Transaction<Tables>, received: readonly Received[]): Promise<Receipt[]> {
  for (const refs of chunks(inKeyOrder(received))) await holdPulls(transaction, refs);
  const receipts: Receipt[] = [];
  for (const rows of chunks(received)) receipts.push(...(await insertSignals(transaction, rows)));
  return receipts;
}

function chunks<T>(rows: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(rows.length / MOST_ROWS);
  return Array.from({ length: count }, (_, place) => rows.slice(place * MOST_ROWS, (place + 1) * MOST_ROWS));
}

/** Each pull request once. In key order, so that two processes never wait for each other's new rows. */
function inKeyOrder(received: readonly Received[]): readonly KeyedRef[] {
  const byKey = new Map(received.map(({ delivery }) => [pullKey(delivery.intent.pull), delivery.intent.pull]));
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Makes the rows that claims lock, and holds them: `whileAlone` is over before, or sees what is stored here. */
async function holdPulls(transaction: Transaction<Tables>, refs: readonly KeyedRef[]): Promise<void> {
  await insertPulls(transaction, refs);
  const keys = refs.map(([key]) => key);
  // The weakest lock: neither claims nor other receivers wait for it. Whoever is alone with a row waits for nobody,
  // so waiting here for one after the other cannot end in a circle.
  await transaction
    .selectFrom('pulls')
    .select('pull_key')
    .where('pull_key', 'in', keys)
    .orderBy('pull_key')
    .forKeyShare()
    .execute();
}

async function insertPulls(transaction: Transaction<Tables>, refs: readonly KeyedRef[]): Promise<void> {
  await transaction
    .insertInto('pulls')
    .values(
      refs.map(([key, ref]) => ({
        pull_key: key,
        installation_id: ref.installationId,
        repository_id: ref.repositoryId,
        number: ref.number,
        state: toStored(pullState(newPull(ref))),
      })),
    )
    .onConflict((conflict) => conflict.column('pull_key').doNothing())
    .execute();
}

async function insertSignals(transaction: Transaction<Tables>, rows: readonly Received[]): Promise<Receipt[]> {
  const inserted = await transaction
    .insertInto('inbox')
    .values(rows.map(signalRow))
    .onConflict((conflict) => conflict.doNothing())
    .returning('delivery_id')
    .execute();
  const stored = new Set(inserted.map((row) => row.delivery_id));
  return rows.map(({ delivery }) => (stored.delete(delivery.id) ? 'stored' : 'duplicate'));
}

function signalRow({ delivery, now }: Received) {
  const signal: Signal = { type: 'intent', deliveryId: delivery.id, intent: delivery.intent };
  return {
    pull_key: pullKey(delivery.intent.pull),
    kind: 'intent' as const,
    delivery_id: delivery.id,
    natural_key: delivery.naturalKey,
    signal: toStored(signal),
    received_at: now,
    not_before: now,
  };
}
