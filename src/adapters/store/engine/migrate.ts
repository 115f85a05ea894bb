import { type Kysely, sql, type Transaction } from 'kysely';
import { DatabaseError } from './errors.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { DatabaseSchema } from './schema.ts';

/** The schema version that this version of Countersign reads and writes: the number of its last migration. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Any number works if nothing else in the database locks it. */
const MIGRATION_LOCK = 8_261_947_301;

/** The schema version that this process found, and the one that it left. */
export type Migrated = { readonly from: number; readonly to: number; readonly seconds: number };

/**
 * Migrates the database to the newest schema that this version knows: one transaction for each migration, one process
 * at a time. Null if nothing was to do. Throws `DatabaseError` and changes nothing if the schema is newer (G14).
 */
export async function migrate(
  db: Kysely<DatabaseSchema>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated | null> {
  const begun = performance.now();
  let applied: readonly number[] = [];
  for (const migration of migrations) {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(transaction);
      const version = await findSchemaVersion(transaction);
      if (version > migrations.length) throw new DatabaseError(tooNewMessage(version, migrations.length));
      if (version >= migration.number) return;
      await apply(transaction, migration);
      applied = [...applied, migration.number];
    });
  }
  const [first] = applied;
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  return first === undefined ? null : { from: first - 1, to: migrations.length, seconds };
}

/** The names of the migrations that a database of this version lacks. Throws `DatabaseError` if it is too new. */
export function listMissingMigrations(version: number): readonly string[] {
  if (version > SCHEMA_VERSION) throw new DatabaseError(tooNewMessage(version, SCHEMA_VERSION));
  return MIGRATIONS.slice(version).map(({ name }) => name);
}

async function apply(transaction: Transaction<DatabaseSchema>, { number, name, sql: script }: Migration) {
  for (const statement of script.split(/;\n\n/)) await sql.raw(statement).execute(transaction);
  await sql`insert into migrations (number, name) values (${number}, ${name})`.execute(transaction);
}

function tooNewMessage(version: number, newest: number): string {
  return (
    `The database was written by a newer version of Countersign (schema version ${version}; this version reads ${newest}). ` +
    'Nothing was changed. Run the newer version again, or restore the backup made before it first ran.'
  );
}

/** Requires exactly this version's schema. Throws `DatabaseError` otherwise, also for a database without any schema. */
export async function requireCurrentSchema(db: Kysely<DatabaseSchema>): Promise<void> {
  const version = await findSchemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  throw new DatabaseError(
    `The database has schema version ${version}; this version of Countersign reads ${SCHEMA_VERSION}. ` +
      `Use the version that its server runs${version < SCHEMA_VERSION ? ', or start the server of this version once' : ''}.`,
  );
}

/**
 * Throws if the database does not answer, or if its schema is older than this version's: a backup might have been
 * restored while this process runs. A newer schema passes, because replicas are upgraded one after the other.
 */
export async function requireSchema(db: Kysely<DatabaseSchema>): Promise<void> {
  const version = await readSchemaVersion(db);
  if (version < SCHEMA_VERSION)
    throw new Error(`The database has schema version ${version}; this version needs ${SCHEMA_VERSION}`);
}

/** 0 if no migration has run. */
export async function findSchemaVersion(db: Kysely<DatabaseSchema>): Promise<number> {
  // Other programs have a table of migrations too.
  const { rows } = await sql<{ isOurs: boolean }>`
    select to_regclass('migrations') is not null and to_regclass('inbox') is not null as "isOurs"
  `.execute(db);
  return rows[0]?.isOurs === true ? readSchemaVersion(db) : 0;
}

/** The number of the last migration. The table of migrations must exist. */
async function readSchemaVersion(db: Kysely<DatabaseSchema>): Promise<number> {
  const { rows } = await sql<{ number: number | null }>`select max(number) as number from migrations`.execute(db);
  return rows[0]?.number ?? 0;
}
