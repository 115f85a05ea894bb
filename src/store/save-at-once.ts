import { type RawBuilder, sql } from 'kysely';
import type { Effect } from '../run/effect.ts';
import { goesOn, goesOnSince, RUN_SCHEMA } from '../run/run.ts';
import type { Step } from '../run/step.ts';
import type { Backend } from './backend.ts';
import {
  type End,
  type Ended,
  endedOf,
  endOf,
  endsClaim,
  LEASED,
  leasedIf,
  type Parting,
  restCte,
  type Taking,
  takenBy,
} from './ending.ts';
import { isHeldBy } from './held-by.ts';
import { isIt } from './inbox.ts';
import type { Unchanged } from './load.ts';
import { pullState } from './pull-state.ts';
import { messageRows } from './save-messages.ts';
import type { Claim, GivenBack, SaveResult, StoredSignal } from './store.ts';
import { toStored } from './stored-json.ts';
import { SYNCED_LATER } from './synced-later.ts';
import { effectRow, keysAtOnce, wantedAt, withoutTwins } from './want-effects.ts';

/** Where a step is saved: the database, and what of the step is there already. */
export type Place = Pick<Backend, 'db' | 'embedded'> & { readonly unchanged: Unchanged };

/** What is saved, and how the claim may end with it; null where it goes on. */
export type Saving = {
  readonly claim: Claim;
  readonly signal: StoredSignal;
  readonly step: Step;
  readonly now: number;
  readonly parting: Parting | null;
};

/**
 * Saves in one statement a step that only goes on: run, messages, effects; and gives the claim back where that was all. It is
 * on disk before any request that follows from it writes to GitHub. Null, and nothing, where it is not one of these, and where
 * the claim is lost, the signal done or the run another pull request's: then `save` looks closer.
 */
export async function saveAtOnce(
  { unchanged, ...backend }: Place,
  { claim, signal, step, now, parting }: Saving,
): Promise<Extract<SaveResult, 'saved' | GivenBack> | null> {
  if (!onlyGoesOn(step) || !step.pull.proposals.every((proposal) => unchanged.has(proposal))) return null;
  const { run } = step.pull;
  const written = run === null || unchanged.has(run) ? null : run;
  const effects = withoutTwins(step.effects);
  const keys = keysAtOnce(effects);
  const end = endOf(parting, effects);
  const { rows } = await sql<Ended>`
    with held as (
      select pull_key from pulls where ${isHeldBy(claim)} for no key update
    ), settled as (
      update inbox set done_at = ${now}, reason = ${step.reason}${step.reason === 'not-ours' ? sql`, signal = null` : sql``}
      from held where ${isIt(signal)} and inbox.pull_key = held.pull_key and inbox.done_at is null
        and not exists (select from runs where run_id = ${run?.id ?? null} and pull_key <> ${claim.pullKey})
      returning inbox.pull_key
    )
    ${end === null ? sql`` : sql`, ${restCte(end, claim, signal, now)}`}
    ${written === null ? sql`` : sql`, ${runCte(written.id, toStored(written), now)}`}
    ${step.messages.length === 0 ? sql`` : sql`, ${messagesCte(step)}`}
    ${effects.length === 0 ? sql`` : sql`, ${effectsCte(claim, effects, now, end?.taking ?? null)}`}
    ${keys.length === 0 ? sql`` : sql`, ${againCte(keys, now)}`}
    update pulls set state = ${toStored(pullState(step.pull))}, run_id = ${run?.id ?? null}, active = ${goesOn(step.pull)},
      goes_on_since = ${goesOnSince(step.pull)}
      ${end === null ? sql`` : endsClaim(end)}
    from settled${end === null ? sql`` : sql`, rest`}
    where pulls.pull_key = settled.pull_key and ${mayBeSyncedLater(backend, end)}
    returning ${end === null ? sql`false as ends, null as taken` : endedOf(end)}
  `.execute(backend.db);
  const row = rows[0];
  if (row === undefined) return null;
  return row.ends ? { kind: 'given-back', effect: takenBy(end, row.taken, claim, now) } : 'saved';
}

/**
 * An embedded database dies with whoever works on it, so that nobody goes on from what it forgot. A server may die alone: then
 * it must not have forgotten what the holder of the claim goes on from, while whoever has given the claim back begins from
 * what is stored.
 */
function mayBeSyncedLater({ embedded }: Pick<Backend, 'embedded'>, end: End | null): RawBuilder<boolean> {
  if (embedded) return SYNCED_LATER;
  return end === null ? sql<boolean>`true` : sql<boolean>`case when rest.ends then ${SYNCED_LATER} else true end`;
}

function onlyGoesOn({ dropsRest, votes, writes }: Step): boolean {
  return !dropsRest && votes.length === 0 && writes.length === 0;
}

function runCte(id: string, state: string, now: number): RawBuilder<unknown> {
  return sql`ran as (
    insert into runs (run_id, pull_key, schema, state, created_at, updated_at)
    select ${id}::text, pull_key, ${RUN_SCHEMA}::integer, ${state}::text, ${now}::bigint, ${now}::bigint from settled
    on conflict (run_id)
    do update set schema = excluded.schema, state = excluded.state, updated_at = excluded.updated_at
  )`;
}

function messagesCte(step: Step): RawBuilder<unknown> {
  const rows = messageRows(step).map(({ run_id, seq, body }) => sql`(${run_id}::text, ${seq}::integer, ${body}::text)`);
  return sql`told as (
    insert into messages (run_id, seq, body)
    select told.run_id, told.seq, told.body from settled, (values ${sql.join(rows)}) as told (run_id, seq, body)
  )`;
}

/** The same as the ones that `effectsCte` leaves out: wanted again, as `wantEffects` does. */
function againCte(keys: readonly string[], now: number): RawBuilder<unknown> {
  const { created_at: createdAt, faults, not_before: notBefore } = wantedAt(now);
  return sql`again as (
    update effects set created_at = ${createdAt}, faults = ${faults}, not_before = ${notBefore} from settled
    where effects.pull_key = settled.pull_key and effects.done_at is null and not effects.begun
      and effects.coalescing_key in (${sql.join(keys)}) and effects.not_before > ${now}
  )`;
}

/** In their order, without those that will still look at things as they are after this step. */
function effectsCte(
  { pullKey }: Claim,
  effects: readonly Effect[],
  now: number,
  taking: Taking | null,
): RawBuilder<unknown> {
  const rows = effects.map((effect, place) => {
    const row = effectRow(pullKey, effect, now);
    return sql`(${place}::integer, ${row.lane}::text, ${row.type}::text, ${row.coalescing_key}::text,
      ${row.once_key}::text, ${row.body}::text, ${row.created_at}::bigint, ${row.not_before}::bigint)`;
  });
  const columns = sql.raw('lane, type, coalescing_key, once_key, body, created_at, not_before');
  const place = taking === null ? null : effects.indexOf(taking.effect);
  return sql`wanted as (
    insert into effects (pull_key, ${columns}${taking === null ? sql`` : sql`, ${LEASED}`})
    select settled.pull_key, ${columns}${taking === null ? sql`` : sql`, ${leasedIf(sql`place = ${place}`, taking, now)}`}
    from settled, (values ${sql.join(rows)}) as wanted (place, ${columns})${taking === null ? sql`` : sql`, rest`}
    where not exists (
      select from effects as before where before.pull_key = settled.pull_key and before.done_at is null
        and before.coalescing_key = wanted.coalescing_key and not before.begun
    )
    order by wanted.place
    on conflict do nothing
    ${taking === null ? sql`` : sql`returning id, begun`}
  )`;
}
