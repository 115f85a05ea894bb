import { type Kysely, type RawBuilder, sql } from 'kysely';
import { goesOn, RUN_SCHEMA } from '../run/run.ts';
import type { Step } from '../run/step.ts';
import type { Unchanged } from './load.ts';
import { pullState } from './pull-state.ts';
import { messageRows } from './save-messages.ts';
import type { Claim, StoredSignal } from './store.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';
import { effectRow, withoutTwins } from './want-effects.ts';

/** Where a step is saved: the database, and what of the step is there already. */
export type Place = { readonly db: Kysely<Tables>; readonly unchanged: Unchanged };

/**
 * Saves in one statement a step that only goes on: run, messages, effects. False, and nothing, where it is not one of
 * these, and where the claim is lost, the signal done or the run another pull request's: then `save` looks closer.
 */
export async function saveAtOnce(
  { db, unchanged }: Place,
  claim: Claim,
  signal: StoredSignal,
  step: Step,
  now: number,
): Promise<boolean> {
  if (!onlyGoesOn(step) || !step.pull.proposals.every((proposal) => unchanged.has(proposal))) return false;
  const { run } = step.pull;
  const written = run === null || unchanged.has(run) ? null : run;
  const { rows } = await sql`
    with held as (
      select pull_key from pulls where pull_key = ${claim.pullKey} and fence = ${claim.fence} for no key update
    ), settled as (
      update inbox set done_at = ${now}, reason = ${step.reason}${step.reason === 'not-ours' ? sql`, signal = null` : sql``}
      from held where inbox.id = ${signal.id} and inbox.pull_key = held.pull_key and inbox.done_at is null
        and not exists (select from runs where run_id = ${run?.id ?? null} and pull_key <> ${claim.pullKey})
      returning inbox.pull_key
    )
    ${written === null ? sql`` : sql`, ${runCte(written.id, toStored(written), now)}`}
    ${step.messages.length === 0 ? sql`` : sql`, ${messagesCte(step)}`}
    ${step.effects.length === 0 ? sql`` : sql`, ${effectsCte(claim, step, now)}`}
    update pulls set state = ${toStored(pullState(step.pull))}, run_id = ${run?.id ?? null}, active = ${goesOn(step.pull)}
    from settled where pulls.pull_key = settled.pull_key
    returning pulls.pull_key
  `.execute(db);
  return rows.length > 0;
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

/** In their order, without those that will still look at things as they are after this step. */
function effectsCte({ pullKey }: Claim, { effects }: Step, now: number): RawBuilder<unknown> {
  const rows = withoutTwins(effects).map((effect, place) => {
    const row = effectRow(pullKey, effect, now);
    return sql`(${place}::integer, ${row.lane}::text, ${row.type}::text, ${row.coalescing_key}::text,
      ${row.once_key}::text, ${row.body}::text, ${row.created_at}::bigint, ${row.not_before}::bigint)`;
  });
  const columns = sql.raw('lane, type, coalescing_key, once_key, body, created_at, not_before');
  return sql`wanted as (
    insert into effects (pull_key, ${columns})
    select settled.pull_key, ${columns} from settled, (values ${sql.join(rows)}) as wanted (place, ${columns})
    where not exists (
      select from effects as before where before.pull_key = settled.pull_key and before.done_at is null
        and before.coalescing_key = wanted.coalescing_key and not before.begun
    )
    order by wanted.place
    on conflict do nothing
  )`;
}
