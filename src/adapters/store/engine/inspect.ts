import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { DirectoryInUseError, lockDirectory } from './data-directory.ts';
import { DatabaseError, explainPostgres, reasonOf } from './errors.ts';
import { findSchemaVersion, SCHEMA_VERSION } from './migrate.ts';
import { openPostgres, requireServer } from './postgres.ts';
import type { Backend, DatabaseSchema } from './schema.ts';

/** What a database is, and what keeps Countersign from working on it. */
export type DatabaseFacts = {
  /** Such as `PostgreSQL 17.2`, or `PGlite (PostgreSQL 17.5)`. */
  readonly server: string;
  /** Null where it was not opened. */
  readonly schema: { readonly version: number; readonly newest: number } | null;
  readonly isReadOnly: boolean;
  /** Whether the role can create tables, as a migration does. */
  readonly canMigrate: boolean;
  /** Tables that the role cannot read or write. */
  readonly lockedTables: readonly string[];
  /** Whether a pooler gives one connection of the server to several of ours. */
  readonly sharesConnections: boolean;
};

/** Reads what an open database is. Changes nothing. */
export async function describeDatabase({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<DatabaseFacts> {
  const { rows } = await sql<Omit<DatabaseFacts, 'schema' | 'sharesConnections'>>`
    select 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) as server,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
      has_schema_privilege(current_schema(), 'create') as "canMigrate",
      array(
        select relname::text from pg_class
        where relnamespace = current_schema()::regnamespace
          and relname in ('effects', 'inbox', 'migrations', 'proposals', 'pulls', 'runs')
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert'))
        order by relname
      ) as "lockedTables"
  `.execute(db);
  const [facts = UNKNOWN] = rows;
  const version = facts.lockedTables.includes('migrations') ? 0 : await findSchemaVersion(db);
  return {
    ...facts,
    server: embedded ? `PGlite (${facts.server})` : facts.server,
    schema: { version, newest: SCHEMA_VERSION },
    // PGlite has one connection only, and a second one would wait for the first.
    sharesConnections: !embedded && (await sharesConnections(db)),
  };
}

const UNKNOWN = { server: 'unknown', isReadOnly: false, canMigrate: true, lockedTables: [] };

/** Two open connections have two processes of the server, unless something lends one process to both. */
function sharesConnections(db: Kysely<DatabaseSchema>): Promise<boolean> {
  const processOf = async (connection: Kysely<DatabaseSchema>): Promise<number | undefined> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows[0]?.pid;
  return db.connection().execute(async (one) => {
    const first = await processOf(one);
    return db.connection().execute(async (other) => (await processOf(other)) === first);
  });
}

/** Opens the database of DATABASE_URL, describes it and closes it again. Throws `DatabaseError` if it cannot be used. */
export async function describeServer(databaseUrl: string): Promise<DatabaseFacts> {
  const backend = openPostgres(databaseUrl);
  try {
    await requireServer(backend);
    return await describeDatabase(backend);
  } catch (error) {
    throw explainPostgres(error);
  } finally {
    await backend.close();
  }
}

/** The state of an embedded database: not made yet, used by a server, or free. */
export type DirectoryState = 'none' | 'in-use' | 'free';

/** Looks at the directory of an embedded database without opening it. Throws `DatabaseError` if it cannot be used. */
export function describeDirectory(dataDir: string): DirectoryState {
  if (!existsSync(join(dataDir, 'database', 'PG_VERSION'))) {
    requireWritable(dataDir);
    return 'none';
  }
  try {
    lockDirectory(dataDir).release();
    return 'free';
  } catch (error) {
    if (error instanceof DirectoryInUseError) return 'in-use';
    throw error;
  }
}

/** Requires that this user can make the directory, or write in it. */
function requireWritable(dataDir: string): void {
  let place = resolve(dataDir);
  while (!existsSync(place)) place = dirname(place);
  try {
    if (!statSync(place).isDirectory()) throw new Error('it is no directory');
    accessSync(place, constants.W_OK);
  } catch (error) {
    throw new DatabaseError(
      `DATA_DIR cannot be made, because nothing can be written in ${place} (${reasonOf(error)}). ` +
        'Set it to a writable directory on a local disk.',
      { cause: error },
    );
  }
}
