import type { Transaction } from 'kysely';
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
  const missing = await withoutCoalesced(transaction, pullKey, effects);
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
): Promise<readonly Effect[]> {
  const single = withoutTwins(effects);
  const keys = single.map(coalescingKey).filter((key) => key !== null);
  const wanted = new Set(keys.length === 0 ? [] : await yetToBegin(transaction, pullKey, keys));
  return single.filter((effect) => !wanted.has(coalescingKey(effect)));
}

/** Of those with the same key the first. */
export function withoutTwins(effects: readonly Effect[]): readonly Effect[] {
  const keys = effects.map(coalescingKey);
  return effects.filter((_effect, place) => keys[place] === null || keys.indexOf(keys[place] ?? null) === place);
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
