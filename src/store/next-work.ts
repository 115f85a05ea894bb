import { type Kysely, sql } from 'kysely';
import type { Signal } from '../run/signal.ts';
import { EFFECT_RANK, gateOf, HEAR } from './budgets.ts';
import { EFFECT_COLUMNS, type EffectRow, storedEffect } from './effects.ts';
import { isHeldBy } from './held-by.ts';
import type { Claim, PullWork, StoredEffect, StoredSignal } from './store.ts';
import { fromStored } from './stored-json.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';

/** What of a row of `inbox` is given out. */
export type SignalRow = { id: number; signal: string; received_at: number; attempts: number; faults: number };

export function storedSignal({ id, signal, received_at: receivedAt, attempts, faults }: SignalRow): StoredSignal {
  return { id, signal: fromStored<Signal>(signal), receivedAt, attempts, faults };
}

type Row = (SignalRow & { readonly kind: 'outcome' | 'intent' }) | { readonly kind: 'effect'; readonly id: number };

/**
 * The next due signal of a held pull request: outcomes first, then intents, each in the order received; else the next due
 * effect of its lane, whose attempt is counted; null where there is neither, or the claim is lost.
 */
export async function nextWork(db: Kysely<Tables>, claim: Claim, now: number): Promise<PullWork | null> {
  for (;;) {
    const found = await look(db, claim, now);
    if (found === null) return null;
    if (found.kind !== 'effect') return { kind: 'signal', signal: storedSignal(found) };
    const effect = await begin(db, claim, found.id);
    if (effect !== null) return { kind: 'effect', effect };
  }
}

async function look(db: Kysely<Tables>, claim: Claim, now: number): Promise<Row | null> {
  const { pullKey } = claim;
  const { rows } = await sql<Row>`
    with held as materialized (
      select pulls.held_until, budgets.hear_at, budgets.act_at, budgets.tell_at
      from pulls left join budgets on budgets.installation_id = pulls.installation_id
      where ${isHeldBy(claim)}
    )
    (${dueSignal('outcome', pullKey, now)}) union all (${dueSignal('intent', pullKey, now)}) union all (
      select 3 as place, 'effect' as kind, effects.id, null as signal, null as received_at, null as attempts, null as faults
      from held as budgets, effects
      where effects.pull_key = ${pullKey} and effects.lane = 'pull' and effects.done_at is null
        and (effects.not_before <= ${now} or (effects.type = 'catch-up' and effects.attempts = 0))
        and ${gateOf(EFFECT_RANK)} <= ${now}
      order by effects.id limit 1
    )
    order by place limit 1
  `.execute(db);
  return rows[0] ?? null;
}

/** The oldest due one of its kind; of what people said none that waits for some that failed. */
function dueSignal(kind: 'outcome' | 'intent', pullKey: string, now: number) {
  return sql`
    select ${sql.lit(kind === 'outcome' ? 1 : 2)} as place, inbox.kind, inbox.id, inbox.signal, inbox.received_at, inbox.attempts, inbox.faults
    from held as budgets, inbox
    where inbox.pull_key = ${pullKey} and inbox.kind = ${sql.lit(kind)} and inbox.done_at is null
      and inbox.not_before <= ${now} and ${gateOf(HEAR)} <= ${now} and inbox.signal is not null
      ${kind === 'intent' ? sql`and budgets.held_until <= ${now}` : sql``}
    order by inbox.id limit 1`;
}

/** Counts the attempt, where the claim still holds; sees where a former holder is just finishing. */
async function begin(db: Kysely<Tables>, claim: Claim, id: number): Promise<StoredEffect | null> {
  const { rows } = await sql<EffectRow>`
    with held as (
      select pull_key from pulls where ${isHeldBy(claim)} for no key update
    )
    update effects set attempts = effects.attempts + 1, begun = true
    from held where effects.id = ${id} and effects.done_at is null and ${SYNCED_LATER}
    returning ${EFFECT_COLUMNS}
  `.execute(db);
  const row = rows[0];
  return row === undefined ? null : storedEffect(row);
}
