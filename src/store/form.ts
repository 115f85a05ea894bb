import type { Kysely } from 'kysely';
import { MIGRATIONS } from './migrations/migrations.ts';
import type { Tables } from './tables.ts';

/** The form that this version reads and writes: the number of its last migration. */
export const NEWEST_FORM = MIGRATIONS.length;

/** The form of a database that has the table of migrations; 0 where none has run. */
export async function formOf(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('migrations')
    .select((query) => query.fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}
