import { type Kysely, sql } from 'kysely';
import type { Effect } from '../run/effect.ts';
import type { Signal } from '../run/signal.ts';
import { type Backend, isFree } from './backend.ts';
import { EFFECT_RANK, gateOf } from './budgets.ts';
import type { Claim, Delay, StoredEffect } from './store.ts';
import { fromStored, plainText, toStored } from './stored-json.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';

const RETURNED = sql.raw(
  'effects.id, effects.pull_key, effects.body, effects.attempts, effects.faults, effects.created_at',
);
type Row = { id: number; pull_key: string; body: string; attempts: number; faults: number; created_at: number };

/**
 * The next due effect of a held pull request's lane, in order, where the first try to catch up is always due; null also once the claim is lost. One statement, which
 * locks the pull request's row as it looks at the claim's fence, and sees where a former holder is just finishing.
 */
export async function nextEffect(db: Kysely<Tables>, claim: Claim, now: number): Promise<StoredEffect | null> {
  const { rows } = await sql<Row>`
    with next as (
      select effects.id from effects join pulls on pulls.pull_key = effects.pull_key
      left join budgets on budgets.installation_id = pulls.installation_id
      where pulls.pull_key = ${claim.pullKey} and pulls.fence = ${claim.fence}
        and effects.lane = 'pull' and effects.done_at is null
        and (effects.not_before <= ${now} or (effects.type = 'catch-up' and effects.attempts = 0))
        and ${gateOf(EFFECT_RANK)} <= ${now}
      order by effects.id
      limit 1
      for no key update of pulls
    )
    update effects set attempts = effects.attempts + 1, begun = true
    from next where effects.id = next.id and effects.done_at is null and ${SYNCED_LATER}
    returning ${RETURNED}
  `.execute(db);
  const row = rows[0];
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
      select effects.id from effects join pulls on pulls.pull_key = effects.pull_key
      left join budgets on budgets.installation_id = pulls.installation_id
      where effects.done_at is null and effects.lane = 'free' and effects.not_before <= ${now}
        and ${isFree('effects', holder, now)} and ${gateOf(EFFECT_RANK)} <= ${now}
      order by effects.not_before, effects.id
      limit 1
      for update of effects skip locked
    )
    update effects
    set attempts = effects.attempts + 1, begun = true,
      lease_until = ${now + leaseMs}, leased_by = ${holder}, worker = ${worker}
    from next where effects.id = next.id and ${SYNCED_LATER}
    returning ${RETURNED}
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
    faults: row.faults,
    since: new Date(row.created_at).toISOString(),
  };
}

/** Marks the effect done and stores what came of it, in one statement; false, and nothing, where it was done already. */
export async function finishEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  outcome: Signal | null,
  now: number,
): Promise<boolean> {
  const { rows } = await sql`
    with done as (
      update effects set done_at = ${now}, begun = false, lease_until = null, leased_by = null, worker = null
      where id = ${effect.id} and done_at is null and ${SYNCED_LATER}
      returning pull_key
    ), told as (
      insert into inbox (pull_key, kind, signal, received_at, not_before)
      select pull_key, 'outcome', ${outcome === null ? null : toStored(outcome)}, ${now}::bigint, ${now}::bigint
      from done where ${outcome !== null}::boolean
    )
    select pull_key from done
  `.execute(db);
  return rows.length > 0;
}

/** Extends the lease of an effect of the free lane to `now + leaseMs`; false once it is done, or another worker has it. */
export async function renewEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  now: number,
  leaseMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable('effects')
    .set({ lease_until: now + leaseMs })
    .where('id', '=', effect.id)
    .where('attempts', '=', effect.attempts)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Of an effect that nobody is at. */
export const IDLE = { begun: false, lease_until: null, leased_by: null, worker: null } as const;

/** One that somebody else stopped, or nobody, says that ours had passed; one that only waits says nothing. */
function faultsAfter(error: string | null, ours: boolean) {
  if (error === null) return sql`faults`;
  return ours ? sql`faults + 1` : sql`0`;
}

/**
 * Puts the effect back, and stores what its attempt has to tell. Changes nothing where another worker took it since:
 * that raised its attempts, which therefore never fall, and are the effect's fencing number.
 */
export async function postponeEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  { now, notBefore, error, ours, signal }: Delay,
): Promise<void> {
  await sql`
    with back as (
      update effects set not_before = ${notBefore}, error = coalesce(${error === null ? null : plainText(error)}, error),
        faults = ${faultsAfter(error, ours)},
        begun = false, lease_until = null, leased_by = null, worker = null
      where id = ${effect.id} and attempts = ${effect.attempts} and done_at is null
      returning pull_key
    )
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select pull_key, 'outcome', ${signal === null ? null : toStored(signal)}, ${now}::bigint, ${now}::bigint
    from back where ${signal !== null}::boolean
  `.execute(db);
}
