import type { Kysely } from 'kysely';
import type { ParkedSignal } from './store.ts';
import type { Tables } from './tables.ts';

/** What was given up, newest first, at most so many. */
export async function parked(db: Kysely<Tables>, most: number): Promise<readonly ParkedSignal[]> {
  const rows = await db
    .selectFrom('inbox')
    .select(['id', 'pull_key', 'delivery_id', 'error', 'fault_id', 'attempts', 'received_at', 'done_at'])
    .where('parked', '=', true)
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    pullKey: row.pull_key,
    deliveryId: row.delivery_id,
    error: row.error ?? '',
    faultId: row.fault_id,
    attempts: row.attempts,
    receivedAt: row.received_at,
    parkedAt: row.done_at ?? row.received_at,
  }));
}
