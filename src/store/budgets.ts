import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { type Budget, rest, spend } from '../budget/budget.ts';
import type { Rank } from '../budget/limits.ts';
import { RANK_OF } from '../run/effect.ts';
import type { Store } from './store.ts';
import { fromStored, toStored } from './stored-json.ts';
import { SYNCED_LATER } from './synced-later.ts';
import type { Tables } from './tables.ts';

type Row = Pick<Selectable<Tables['budgets']>, 'spent' | 'hear_at' | 'act_at' | 'tell_at'>;
type Change<Result> = (budget: Budget) => Changed<Result>;
/** `told`: the outside is about to be told of it, so that it must be on disk first. */
type Changed<Result> = { readonly budget: Budget; readonly result: Result; readonly told: boolean };

/** Rows that are remembered; a forgotten one costs some statements more. */
const MOST_KNOWN = 1_000;

/**
 * Budgets of installations. What this process wrote or saw last of a row is remembered: where nobody has changed it since, a
 * request costs one statement. One that writes leaves only once all that was stored before it is on disk.
 */
export function budgetMethods(db: Kysely<Tables>): Pick<Store, 'spend' | 'rest'> {
  const known = new Map<number, Row>();

  async function changeBudget<Result>(id: number, change: Change<Result>): Promise<Result> {
    const seen = known.get(id);
    // Taken out, so that whoever comes meanwhile waits for the row instead of competing for it.
    known.delete(id);
    const { row, result } = (seen && (await replace(db, id, seen, change))) ?? (await changeLocked(db, id, change));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(id, row);
    return result;
  }

  return {
    spend: (installationId, wish, limits, now) =>
      changeBudget(installationId, (before) => {
        const { budget, waitUntil } = spend(before, wish, limits, now);
        return { budget, result: waitUntil, told: waitUntil !== null || wish.cost.writes > 0 };
      }),
    rest: (installationId, until) =>
      changeBudget(installationId, (before) => ({
        budget: rest(before, 'hear', until),
        result: undefined,
        told: true,
      })),
  };
}

type Done<Result> = { readonly row: Row; readonly result: Result };

/** Changes the row if it is still what was seen; null, and nothing, where it is not. */
async function replace<Result>(
  db: Kysely<Tables>,
  id: number,
  seen: Row,
  change: Change<Result>,
): Promise<Done<Result> | null> {
  const { budget, result, told } = change(budgetOf(seen));
  const row = rowOf(budget);
  const { numUpdatedRows } = await db
    .updateTable('budgets')
    .set(row)
    .where('installation_id', '=', id)
    .where((column) => column.and(seen))
    .$if(!told, (query) => query.where(SYNCED_LATER))
    .executeTakeFirst();
  return numUpdatedRows > 0n ? { row, result } : null;
}

/** The same with the row locked, made where there was none. */
function changeLocked<Result>(db: Kysely<Tables>, id: number, change: Change<Result>): Promise<Done<Result>> {
  return db.transaction().execute(async (transaction) => {
    const { budget, result } = change(budgetOf(await lockRow(transaction, id)));
    const row = rowOf(budget);
    await transaction.updateTable('budgets').set(row).where('installation_id', '=', id).execute();
    return { row, result };
  });
}

function lockRow(transaction: Transaction<Tables>, id: number): Promise<Row> {
  return transaction
    .insertInto('budgets')
    .values({ installation_id: id })
    .onConflict((conflict) => conflict.column('installation_id').doUpdateSet({ installation_id: id }))
    .returning(['spent', 'hear_at', 'act_at', 'tell_at'])
    .executeTakeFirstOrThrow();
}

function budgetOf({ spent, hear_at: hear, act_at: act, tell_at: tell }: Row): Budget {
  return { spent: fromStored<Budget['spent']>(spent), gates: { hear, act, tell } };
}

function rowOf({ spent, gates: { hear, act, tell } }: Budget): Row {
  return { spent: toStored(spent), hear_at: hear, act_at: act, tell_at: tell };
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
