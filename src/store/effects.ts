import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CommitEffect, Effect } from '../run/effect.ts';
import type { Reason } from '../run/reason.ts';
import { type Signal, tellsOfCommit } from '../run/signal.ts';
import type { Asking, Backend } from './backend.ts';
import type { Delay, StoppedBy, StoredEffect } from './store.ts';
import { fromStored, plainText, toStored } from './stored-json.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';
import { takeableFreeEffects } from './takeable.ts';

/** What of a row of `effects` is given out. */
export const EFFECT_COLUMNS = sql.raw(
  'effects.id, effects.pull_key, effects.body, effects.attempts, effects.limited, effects.faults, effects.created_at',
);
export type EffectRow = {
  id: number;
  pull_key: string;
  body: string;
  attempts: number;
  limited: number;
  faults: number;
  created_at: number;
};

/** The due effect of the free lane that has waited longest, leased to this worker. */
export async function claimEffect(
  { db, ...asking }: Pick<Backend, 'db'> & Asking,
  worker: string,
  now: number,
  leaseMs: number,
): Promise<StoredEffect | null> {
  const { rows } = await sql<EffectRow>`
    with next as (
      select effects.id ${takeableFreeEffects(asking, now)}
      limit 1
      for update of effects skip locked
    )
    update effects
    set attempts = effects.attempts + 1, begun = true,
      lease_until = ${now + leaseMs}, leased_by = ${asking.holder}, worker = ${worker}
    where effects.id = (select id from next) and ${SYNCED_LATER}
    returning ${EFFECT_COLUMNS}
  `.execute(db);
  const row = rows[0];
  return row === undefined ? null : storedEffect(row);
}

export function storedEffect(row: EffectRow): StoredEffect {
  return {
    id: row.id,
    pullKey: row.pull_key,
    effect: fromStored<Effect>(row.body),
    attempts: row.attempts,
    limited: row.limited,
    faults: row.faults,
    since: new Date(row.created_at).toISOString(),
  };
}

/** Why effects are dropped that are under way. */
const DROPPED: Reason = 'access-lost';

/** What a dropped effect comes to know of a commit is heard even so, once: then it looks like any that is done. */
function orDropped(told: Signal | null): RawBuilder<unknown> {
  return told !== null && tellsOfCommit(told) ? sql`or error = ${DROPPED}` : sql``;
}

/** Marks the effect done and stores what came of it, in one statement; false, and nothing, where it was done already. */
export async function finishEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  outcome: Signal | null,
  now: number,
): Promise<boolean> {
  const { rows } = await sql`
    with ${finishedCtes(effect, outcome, now)}
    select pull_key from done
  `.execute(db);
  return rows.length > 0;
}

/**
 * Whether a row is this very effect. A server that dies may forget one that somebody is at, and give its id to another:
 * that one is of another time.
 */
function isIt({ id, pullKey, since }: StoredEffect): RawBuilder<boolean> {
  return sql<boolean>`effects.id = ${id} and effects.pull_key = ${pullKey} and effects.created_at = ${Date.parse(since)}`;
}

/** `done` with the effect's row, and `told` with that of its outcome. */
export function finishedCtes(effect: StoredEffect, outcome: Signal | null, now: number): RawBuilder<unknown> {
  return sql`done as (
      update effects set done_at = ${now}, begun = false, lease_until = null, leased_by = null, worker = null,
        error = nullif(error, ${DROPPED})
      where ${isIt(effect)} and (done_at is null ${orDropped(outcome)}) and ${SYNCED_LATER}
      returning pull_key
    ), told as (
      insert into inbox (pull_key, kind, signal, received_at, not_before)
      select pull_key, 'outcome', ${outcome === null ? null : toStored(outcome)}, ${now}::bigint, ${now}::bigint
      from done where ${outcome !== null}::boolean
      returning id
    )`;
}

/** Every commit of the pull request that is wanted and not done yet, oldest first. */
export async function commitsWanted(db: Kysely<Tables>, pullKey: string): Promise<readonly CommitEffect[]> {
  const rows = await db
    .selectFrom('effects')
    .select('body')
    .where('pull_key', '=', pullKey)
    .where('lane', '=', 'pull')
    .where('type', '=', 'commit')
    .where('done_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ body }) => fromStored<CommitEffect>(body));
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
    .where(isIt(effect))
    .where('attempts', '=', effect.attempts)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Of an effect that nobody is at. */
export const IDLE = { begun: false, lease_until: null, leased_by: null, worker: null } as const;

/** One that somebody else stopped, or nobody, says that ours had passed; one that only waits says nothing. */
function faultsAfter(error: string | null, stoppedBy: StoppedBy) {
  if (error === null) return sql`faults`;
  return stoppedBy === 'us' ? sql`faults + 1` : sql`0`;
}

/**
 * Puts the effect back, and stores what its attempt has to tell. Changes nothing where another worker took it since:
 * that raised its attempts, which therefore never fall, and are the effect's fencing number. One that was dropped stays so.
 */
export async function postponeEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  { now, notBefore, error, stoppedBy, signal }: Delay,
): Promise<void> {
  await sql`
    with back as (
      update effects set not_before = ${notBefore},
        error = case when done_at is null then coalesce(${error === null ? null : plainText(error)}, error) end,
        faults = ${faultsAfter(error, stoppedBy)}, limited = limited + ${stoppedBy === 'limit' ? 1 : 0},
        begun = false, lease_until = null, leased_by = null, worker = null
      where ${isIt(effect)} and attempts = ${effect.attempts} and (done_at is null ${orDropped(signal)})
      returning pull_key
    )
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select pull_key, 'outcome', ${signal === null ? null : toStored(signal)}, ${now}::bigint, ${now}::bigint
    from back where ${signal !== null}::boolean
  `.execute(db);
}
