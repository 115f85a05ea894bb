import { type Kysely, sql } from 'kysely';
import type { Effect } from '../run/effect.ts';
import type { Signal } from '../run/signal.ts';
import { type Backend, isFree } from './backend.ts';
import { whileHeld } from './claims.ts';
import { addOutcome } from './inbox.ts';
import type { Claim, StoredEffect } from './store.ts';
import { fromStored, plainText } from './stored-json.ts';
import type { Tables } from './tables.ts';

const RETURNED = ['id', 'pull_key', 'body', 'attempts', 'created_at'] as const;
type Row = { id: number; pull_key: string; body: string; attempts: number; created_at: number };

/** The next due effect of a held pull request's lane, in order; null also once the claim is lost. */
export async function nextEffect(db: Kysely<Tables>, claim: Claim, now: number): Promise<StoredEffect | null> {
  const row = await whileHeld(db, claim, undefined, (transaction) =>
    transaction
      .updateTable('effects')
      .set((effect) => ({ attempts: effect('attempts', '+', 1), begun: true }))
      .where('id', '=', (query) =>
        query
          .selectFrom('effects')
          .select('id')
          .where('pull_key', '=', claim.pullKey)
          .where('lane', '=', 'pull')
          .where('done_at', 'is', null)
          .where('not_before', '<=', now)
          .orderBy('id')
          .limit(1),
      )
      .returning(RETURNED)
      .executeTakeFirst(),
  );
  return row === undefined ? null : storedEffect(row);
}

/** The due effect of the free lane that has waited longest, leased to this worker. */
export async function claimEffect(
  { db, holder }: Pick<Backend, 'db' | 'holder'>,
  worker: string,
  now: number,
  leaseMs: number,
): Promise<StoredEffect | null> {
  const { rows } = await sql<Row>`
    with next as (
      select id from effects
      where done_at is null and lane = 'free' and not_before <= ${now} and ${isFree('effects', now)}
      order by not_before, id
      limit 1
      for update skip locked
    )
    update effects
    set attempts = effects.attempts + 1, begun = true,
      lease_until = ${now + leaseMs}, leased_by = ${holder}, worker = ${worker}
    from next where effects.id = next.id
    returning effects.id, effects.pull_key, effects.body, effects.attempts, effects.created_at
  `.execute(db);
  const row = rows[0];
  return row === undefined ? null : storedEffect(row);
}

function storedEffect(row: Row): StoredEffect {
  return {
    id: row.id,
    pullKey: row.pull_key,
    effect: fromStored<Effect>(row.body),
    attempts: row.attempts,
    since: new Date(row.created_at).toISOString(),
  };
}

/** Marks the effect done and stores what came of it, in one transaction; false, and nothing, where it was done already. */
export function finishEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  outcome: Signal | null,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const result = await transaction
      .updateTable('effects')
      .set({ done_at: now, ...IDLE })
      .where('id', '=', effect.id)
      .where('done_at', 'is', null)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return false;
    if (outcome !== null) await addOutcome(transaction, effect.pullKey, outcome, now);
    return true;
  });
}

const IDLE = { begun: false, lease_until: null, leased_by: null, worker: null } as const;

/**
 * Puts the effect back until `notBefore`. Changes nothing where another worker took it since: that raised its attempts,
 * which therefore never fall, and are the effect's fencing number.
 */
export async function postponeEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  notBefore: number,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('effects')
    .set({ not_before: notBefore, ...(error === null ? {} : { error: plainText(error) }), ...IDLE })
    .where('id', '=', effect.id)
    .where('attempts', '=', effect.attempts)
    .where('done_at', 'is', null)
    .execute();
}
