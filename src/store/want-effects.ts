import { sql, type Transaction } from 'kysely';
import { coalescingKey, delayOf, type Effect, LANES } from '../run/effect.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** Stores effects in order, without those that an equal one makes unnecessary. The caller holds the pull request's row. */
export async function wantEffects(
  transaction: Transaction<Tables>,
  pullKey: string,
  effects: readonly Effect[],
  now: number,
): Promise<void> {
  const missing = await withoutCoalesced(transaction, pullKey, effects, now);
  if (missing.length === 0) return;
  await transaction
    .insertInto('effects')
    .values(missing.map((effect) => effectRow(pullKey, effect, now)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A row of `effects`. */
export function effectRow(pullKey: string, effect: Effect, now: number) {
  return {
    pull_key: pullKey,
    lane: LANES[effect.type],
    type: effect.type,
    coalescing_key: coalescingKey(effect),
    once_key: effect.type === 'answer' ? effect.once : null,
    body: toStored(effect),
    created_at: now,
    not_before: now + delayOf(effect),
  };
}

async function withoutCoalesced(
  transaction: Transaction<Tables>,
  pullKey: string,
  effects: readonly Effect[],
  now: number,
): Promise<readonly Effect[]> {
  const single = withoutTwins(effects);
  const keys = single.map(coalescingKey).filter((key) => key !== null);
  if (keys.length === 0) return single;
  await wantAgain(transaction, pullKey, keysAtOnce(single), now);
  const wanted = new Set(await yetToBegin(transaction, pullKey, keys));
  return single.filter((effect) => !wanted.has(coalescingKey(effect)));
}

/** Of those with the same key one, in the place of the first: the one that is due first. */
export function withoutTwins(effects: readonly Effect[]): readonly Effect[] {
  const single = new Map<unknown, Effect>();
  for (const effect of effects) {
    const key = coalescingKey(effect) ?? effect;
    const before = single.get(key);
    if (before === undefined || delayOf(effect) < delayOf(before)) single.set(key, effect);
  }
  return [...single.values()];
}

/** Keys of those that need not wait: equal ones that wait are wanted again, and none that was never tried waits longer. */
export function keysAtOnce(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap((effect) => (delayOf(effect) === 0 ? (coalescingKey(effect) ?? []) : []));
}

/** Of one that waits and is wanted again, at once. */
export function wantedAt(now: number) {
  return {
    created_at: now,
    faults: 0,
    not_before: sql<number>`case when attempts = 0 then ${now}::bigint else not_before end`,
  };
}

/** What was tried before waits for a reason of its own, but from now on its tries count anew: it has other news to tell. */
async function wantAgain(
  transaction: Transaction<Tables>,
  pullKey: string,
  keys: readonly string[],
  now: number,
): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .updateTable('effects')
    .set(wantedAt(now))
    .where('pull_key', '=', pullKey)
    .where('done_at', 'is', null)
    .where('coalescing_key', 'in', keys)
    .where('begun', '=', false)
    .where('not_before', '>', now)
    .execute();
}

/**
 * Those of the keys under which an effect will still look at things as they are after this step: one that never
 * began, or that waits to be tried again. One that is being performed may have looked already, so it swallows nothing.
 */
async function yetToBegin(
  transaction: Transaction<Tables>,
  pullKey: string,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  const rows = await transaction
    .selectFrom('effects')
    .select('coalescing_key')
    .where('pull_key', '=', pullKey)
    .where('done_at', 'is', null)
    .where('coalescing_key', 'in', keys)
    .where('begun', '=', false)
    .execute();
  return rows.map((row) => row.coalescing_key);
}
