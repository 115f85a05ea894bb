import { type Kysely, sql, type Transaction } from 'kysely';
import { DatabaseError } from './errors.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { explainForeignTables, foreignTablesError, lacksRight, missingRightError } from './opening-errors.ts';
import { requireRights } from './requirements.ts';
import type { DatabaseSchema } from './schema.ts';

/** The schema version that this version of Countersign reads and writes: the number of its last migration. */
const SCHEMA_VERSION = MIGRATIONS.length;

/** Any number works if nothing else in the database locks it. */
const MIGRATION_LOCK = 8_261_947_301;

/**
 * Migrates the database to the newest schema that this version knows: one transaction for each migration, one process
 * at a time. Throws `DatabaseError` and changes nothing if the schema is newer (G14).
 */
export async function migrate(
  db: Kysely<DatabaseSchema>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const newest = migrations.at(-1)?.number ?? 0;
  let version = await withMigrationLock(db, (transaction) => requireNotNewer(transaction, newest)).catch(
    async (error: unknown) => {
      if (!lacksRight(error)) throw explainForeignTables(error);
      await requireRights(db);
      throw await missingRightError(db, error);
    },
  );
  for (const migration of migrations) {
    if (migration.number > version)
      version = await withMigrationLock(db, (transaction) => applyMigration(transaction, migration, newest)).catch(
        (error: unknown) => explainFailedMigration(error, migration),
      );
  }
}

function explainFailedMigration(error: unknown, { number }: Migration): never {
  if (!lacksRight(error)) throw number === 1 ? explainForeignTables(error) : error;
  throw new DatabaseError(
    `The role of DATABASE_URL may not change the schema (${error.message}). ` +
      'Start this version once with the role that owns the tables, then grant the rights of the other role again; see docs/operations.md.',
    { cause: error },
  );
}

function withMigrationLock(
  db: Kysely<DatabaseSchema>,
  work: (transaction: Transaction<DatabaseSchema>) => Promise<number>,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(transaction);
    return work(transaction);
  });
}

async function applyMigration(
  transaction: Transaction<DatabaseSchema>,
  migration: Migration,
  newest: number,
): Promise<number> {
  const version = await requireNotNewer(transaction, newest);
  if (version >= migration.number) return version;
  for (const statement of migration.statements) await sql.raw(statement).execute(transaction);
  await sql`insert into migrations (number, name) values (${migration.number}, ${migration.name})`.execute(transaction);
  return migration.number;
}

async function requireNotNewer(transaction: Transaction<DatabaseSchema>, newest: number): Promise<number> {
  // A role that owns no tables can create none, not even one that exists.
  if (!(await hasTable(transaction, 'migrations')))
    await sql`create table migrations (
      number integer primary key, name text not null, applied_at timestamptz not null default now()
    )`.execute(transaction);
  const version = await readSchemaVersion(transaction);
  // Other programs have a table `migrations` with numbers too.
  if (version !== 0 && !(await hasTable(transaction, 'inbox')))
    throw foreignTablesError('the table migrations has entries, but there is no table inbox');
  if (version > newest) throw new DatabaseError(tooNewMessage(version, newest));
  return version;
}

function tooNewMessage(version: number, newest: number): string {
  return (
    `The database was written by a newer version of Countersign (schema version ${version}; this version reads ${newest}). ` +
    'Nothing was changed. Run the newer version again, or restore the backup made before it first ran.'
  );
}

/** Requires exactly this version's schema. Throws `DatabaseError` otherwise, also for a database without any schema. */
export async function requireCurrentSchema(db: Kysely<DatabaseSchema>): Promise<void> {
  const version = await findSchemaVersion(db).catch(async (error: unknown) => {
    throw lacksRight(error) ? await missingRightError(db, error) : error;
  });
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

async function findSchemaVersion(db: Kysely<DatabaseSchema>): Promise<number> {
  return (await hasTable(db, 'migrations')) ? readSchemaVersion(db) : 0;
}

async function hasTable(db: Kysely<DatabaseSchema>, name: keyof DatabaseSchema): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass(${name}) is not null as exists`.execute(db);
  return rows[0]?.exists === true;
}

/** The number of the last migration; 0 if none has run. The table of migrations must exist. */
async function readSchemaVersion(db: Kysely<DatabaseSchema>): Promise<number> {
  const row = await db
    .selectFrom('migrations')
    .select((query) => query.fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}
