import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { formOf } from './form.ts';
import { MIGRATIONS, type Migration } from './migrations/migrations.ts';
import { StoreUnusable } from './store-unusable.ts';
import type { Tables } from './tables.ts';

/** Any number will do, as long as nothing else in the database locks the same one. */
const MIGRATION_LOCK = 8_261_947_301;

/**
 * Brings the database to the newest form that this version knows: each missing migration in a transaction of its own,
 * one process at a time. Throws `StoreUnusable`, having changed nothing, where a newer version was here before (G14).
 */
export async function migrate(db: Kysely<Tables>, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const newest = migrations.at(-1)?.number ?? 0;
  let at = await step(db, (transaction) => knownForm(transaction, newest));
  for (const migration of migrations) {
    if (migration.number > at) at = await step(db, (transaction) => apply(transaction, migration, newest));
  }
}

function step(db: Kysely<Tables>, work: (transaction: Transaction<Tables>) => Promise<number>): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(transaction);
    return work(transaction);
  });
}

async function apply(transaction: Transaction<Tables>, migration: Migration, newest: number): Promise<number> {
  const at = await knownForm(transaction, newest);
  if (at >= migration.number) return at;
  for (const statement of migration.statements) await sql.raw(statement).execute(transaction);
  await sql`insert into migrations (number, name) values (${migration.number}, ${migration.name})`.execute(transaction);
  return migration.number;
}

async function knownForm(transaction: Transaction<Tables>, newest: number): Promise<number> {
  await sql`create table if not exists migrations (
    number integer primary key, name text not null, applied_at timestamptz not null default now()
  )`.execute(transaction);
  const at = await formOf(transaction);
  if (at > newest) throw new StoreUnusable(tooNew(at, newest));
  return at;
}

function tooNew(at: number, newest: number): string {
  return (
    `The database was written by a newer version of Countersign (form ${at}; this version knows ${newest}). ` +
    'Nothing was changed. Run the newer version again, or restore the backup made before it first ran.'
  );
}
