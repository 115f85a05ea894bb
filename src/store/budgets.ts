import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Budget, rest, spend, type Wish } from '../budget/budget.ts';
import type { Limit, Rank } from '../budget/limits.ts';
import { RANK_OF } from '../run/effect.ts';
import { fromStored, toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** Counts a request of this installation for all processes, or says until when (ms) its rank has to wait. */
export function spendBudget(
  db: Kysely<Tables>,
  installationId: number,
  wish: Wish,
  limits: readonly Limit[],
  now: number,
): Promise<number | null> {
  return changeBudget(db, installationId, (budget) => {
    const { budget: next, waitUntil } = spend(budget, wish, limits, now);
    return [next, waitUntil];
  });
}

/** Nothing of this installation is begun before that time (ms). */
export function restInstallation(db: Kysely<Tables>, installationId: number, until: number): Promise<void> {
  return changeBudget(db, installationId, (budget) => [rest(budget, 'hear', until), undefined]);
}

function changeBudget<Result>(
  db: Kysely<Tables>,
  installationId: number,
  change: (budget: Budget) => readonly [Budget, Result],
): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    const [budget, result] = change(await lockBudget(transaction, installationId));
    const { hear, act, tell } = budget.gates;
    await transaction
      .updateTable('budgets')
      .set({ spent: toStored(budget.spent), hear_at: hear, act_at: act, tell_at: tell })
      .where('installation_id', '=', installationId)
      .execute();
    return result;
  });
}

/** The installation's row, made where there was none; nobody else changes it before this transaction is over. */
async function lockBudget(transaction: Transaction<Tables>, installationId: number): Promise<Budget> {
  const row = await transaction
    .insertInto('budgets')
    .values({ installation_id: installationId })
    .onConflict((conflict) => conflict.column('installation_id').doUpdateSet({ installation_id: installationId }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const gates = { hear: row.hear_at, act: row.act_at, tell: row.tell_at };
  return { spent: fromStored<Budget['spent']>(row.spent), gates };
}

/** The rank of a row of `effects`. */
export const EFFECT_RANK: RawBuilder<Rank> = sql`case when effects.type in (${sql.join(
  Object.entries(RANK_OF)
    .filter(([, rank]) => rank === 'tell')
    .map(([type]) => sql.lit(type)),
)}) then 'tell' else 'act' end`;

/** Until when work of this rank waits (ms), where `budgets` is joined to the left. */
export function gateOf(rank: RawBuilder<Rank>): RawBuilder<number> {
  return sql`coalesce(case ${rank} when 'hear' then budgets.hear_at when 'act' then budgets.act_at else budgets.tell_at end, 0)`;
}

export const HEAR: RawBuilder<Rank> = sql`'hear'`;
