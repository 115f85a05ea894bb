import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endLeases } from './claims.ts';
import { createStore } from './create-store.ts';
import { DatabaseError } from './engine/errors.ts';
import { migrate, requireCurrentSchema } from './engine/migrate.ts';
import { explainDataDir, explainPostgres } from './engine/opening-errors.ts';
import { openPglite } from './engine/pglite.ts';
import { type DatabaseUse, openPostgres, requireServer } from './engine/postgres.ts';
import type { Backend } from './engine/schema.ts';
import type { Store } from './store.ts';

/** PostgreSQL if `databaseUrl` is set; otherwise PGlite in `dataDir`, or in memory if that is null too. */
export type DatabaseLocation = { readonly databaseUrl: string | null; readonly dataDir: string | null };

/**
 * Opens the store and migrates its database to this version's schema.
 * Throws `DatabaseError` if the directory is in use, or if the database is unreachable, has a newer schema or cannot
 * serve: it is too old or lacks characters.
 */
export function openStore(location: DatabaseLocation): Promise<Store> {
  return openDatabase(location, 'work', async (backend) => {
    await migrate(backend.db);
    if (backend.embedded) await endLeases(backend.db);
    return createStore(backend);
  });
}

/**
 * Opens a database to read its ledger. It never migrates, because a server of another version might be running.
 * Throws `DatabaseError` if the database is missing, cannot be opened, or has another schema version.
 */
export async function openLedger(location: DatabaseLocation): Promise<Backend> {
  const { databaseUrl, dataDir } = location;
  if (databaseUrl === null && dataDir !== null && !existsSync(join(dataDir, 'database', 'PG_VERSION')))
    throw new DatabaseError(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to the values that the server runs with.`,
    );
  return openDatabase(location, 'reading', async (backend) => {
    await requireCurrentSchema(backend.db);
    return backend;
  });
}

/** Closes the database again if `prepare` fails. */
async function openDatabase<T>(
  { databaseUrl, dataDir }: DatabaseLocation,
  use: DatabaseUse,
  prepare: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = await (databaseUrl === null ? openPglite(dataDir) : openPostgres(databaseUrl, use));
  try {
    if (!backend.embedded) await requireServer(backend);
    return await prepare(backend);
  } catch (error) {
    await backend.close();
    if (databaseUrl !== null) throw explainPostgres(error);
    throw dataDir === null || error instanceof DatabaseError ? error : (explainDataDir(dataDir, error) ?? error);
  }
}
