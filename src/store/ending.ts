import { type RawBuilder, sql } from 'kysely';
import { delayOf, type Effect, RANK_OF } from '../run/effect.ts';
import { EFFECT_RANK, gateOf } from './budgets.ts';
import type { Claim, Ending, Lease, StoredEffect, StoredSignal } from './store.ts';
import { isAnyones } from './wakes.ts';

/** How a claim may end: `mark` is what is left in the row, `holder` has the lease of what is taken. */
export type Parting = Ending & { readonly mark: string; readonly holder: number };

/** The effect that is leased along, and for whom. */
export type Taking = { readonly effect: Effect; readonly lease: Lease; readonly holder: number };

/** An end that this step allows. */
export type End = { readonly mark: string; readonly taking: Taking | null };

/** What the statement says of it: whether the claim is over, and the id of what is leased. */
export type Ended = { readonly ends: boolean; readonly taken: number | null };

/** Null where the claim goes on in any case: what is due now of its own lane is for its holder. */
export function endOf(parting: Parting | null, effects: readonly Effect[]): End | null {
  const due = effects.filter((one) => delayOf(one) === 0);
  if (parting === null || !due.every(isAnyones)) return null;
  const { mark, holder, lease } = parting;
  const effect = due[0];
  return { mark, taking: lease === null || effect === undefined ? null : { effect, lease, holder } };
}

/** `ends` where nothing else of the pull request is due; `open` where the rank of what is to be leased need not wait. */
export function restCte({ taking }: End, { pullKey }: Claim, { id }: StoredSignal, now: number): RawBuilder<unknown> {
  const open = (effect: Effect): RawBuilder<unknown> =>
    sql`, ${gateOf(sql`${sql.lit(RANK_OF[effect.type])}`)} <= ${now} as open`;
  return sql`rest as materialized (
    select not exists (
      select from inbox where pull_key = ${pullKey} and done_at is null and not_before <= ${now} and id <> ${id}
    ) and not exists (
      select from effects where pull_key = ${pullKey} and lane = 'pull' and done_at is null
        and ((not_before <= ${now} and ${gateOf(EFFECT_RANK)} <= ${now}) or type = 'catch-up')
    ) as ends ${taking === null ? sql`` : open(taking.effect)}
    from pulls left join budgets on budgets.installation_id = pulls.installation_id
    where pulls.pull_key = ${pullKey}
  )`;
}

/** Columns of `effects` that say who performs it. */
export const LEASED = sql.raw('attempts, begun, lease_until, leased_by, worker');

/** Their values: those of an attempt that begins, where the row is the one that is taken and the claim ends. */
export function leasedIf(isIt: RawBuilder<unknown>, { lease, holder }: Taking, now: number): RawBuilder<unknown> {
  const takes = sql`(${isIt} and rest.ends and rest.open)`;
  return sql`${takes}::integer, ${takes}, case when ${takes} then ${now + lease.ms}::bigint end,
    case when ${takes} then ${holder}::integer end, case when ${takes} then ${lease.worker}::text end`;
}

/** The rest of the pull request's update. */
export function endsClaim({ mark }: End): RawBuilder<unknown> {
  return sql`, fence = fence + rest.ends::integer, lease_until = case when not rest.ends then lease_until end,
    leased_by = case when not rest.ends then leased_by end, worker = case when rest.ends then ${mark}::text else worker end`;
}

/** What the statement gives back: `Ended`. */
export function endedOf({ taking }: End): RawBuilder<unknown> {
  return sql`rest.ends, ${taking === null ? sql`null` : sql`(select id from wanted where begun)`} as taken`;
}

/** What was leased, as `claimEffect` would give it. */
export function takenBy(end: End | null, id: number | null, { pullKey }: Claim, now: number): StoredEffect | null {
  if (!end?.taking || id === null) return null;
  const since = new Date(now).toISOString();
  return { id, pullKey, effect: end.taking.effect, attempts: 1, limited: 0, faults: 0, since };
}
