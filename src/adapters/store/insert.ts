import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { DatabaseSchema } from './engine/schema.ts';

type Table = keyof DatabaseSchema;

/** Which of the `given` rows are inserted, and what follows. */
type InsertOptions = { readonly where?: RawBuilder<unknown>; readonly ending?: RawBuilder<unknown> };

/**
 * The common table expression `new_<table>`: inserts the rows in order, if the expression `pull` has a row, which is the
 * right to save. None without rows.
 */
export function insertCte<Name extends Table>(
  table: Name,
  rows: readonly Insertable<DatabaseSchema[Name]>[],
  { where = sql`true`, ending = sql`` }: InsertOptions = {},
): readonly RawBuilder<unknown>[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  return [
    sql`${sql.ref(`new_${table}`)} as (
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(columns.map((name) => sql.ref(`given.${name}`)))} from pull, ${rowsOf(table, rows)}
      where ${where} order by given.ordinality ${ending}
    )`,
  ];
}

/** The rows as `given`. They are one parameter, so that a statement has the same text for any number of them. */
export function rowsOf<Name extends Table>(
  table: Name,
  rows: readonly Partial<Insertable<DatabaseSchema[Name]>>[],
): RawBuilder<unknown> {
  return sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    with ordinality as given`;
}
