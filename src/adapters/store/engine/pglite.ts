import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { lockDirectory, makePrivateDirectory } from './data-directory.ts';
import { DatabaseError } from './errors.ts';
import { explainDataDir, reasonOf } from './opening-errors.ts';
import { withPreparedStatements } from './prepared-statements.ts';
import type { Backend, DatabaseSchema } from './schema.ts';

/** Keyed by type id: 20 is `bigint`, and our values stay far below 2^53. */
export const TYPE_PARSERS = { 20: Number } as const;

/**
 * Opens the embedded database in memory, or in `dataDir`, which it locks for this process. Its files survive a killed
 * process, not a power cut.
 */
export async function openPglite(dataDir: string | null): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await startPglite(dataDir);
    return createPgliteBackend(pglite, () => pglite.close().finally(() => lock?.release()));
  } catch (error) {
    lock?.release();
    throw dataDir === null || error instanceof DatabaseError ? error : openingError(dataDir, error);
  }
}

async function startPglite(dataDir: string | null): Promise<PGlite> {
  if (dataDir === null) return PGlite.create({ parsers: TYPE_PARSERS });
  const directory = join(dataDir, 'database');
  makePrivateDirectory(directory);
  const isNew = readdirSync(directory).length === 0;
  try {
    return await PGlite.create({ dataDir: directory, parsers: TYPE_PARSERS, relaxedDurability: false });
  } catch (error) {
    // Half a database could never be opened. It holds nothing: no delivery is accepted before this function returns.
    if (isNew) rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** A backend on an open PGlite. Closing it calls `close`. */
export function createPgliteBackend(pglite: PGlite, close: () => Promise<void>): Backend {
  return {
    db: new Kysely<DatabaseSchema>({ dialect: new PGliteDialect({ pglite: withPreparedStatements(pglite) }) }),
    embedded: true,
    close,
  };
}

/**
 * Frees the space of deleted rows and of the write-ahead log. PostgreSQL's server has processes for that, and an
 * embedded database does neither by itself.
 */
export async function tidy({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<void> {
  if (!embedded) return;
  await sql`vacuum (analyze)`.execute(db);
  await sql`checkpoint`.execute(db);
}

/** PGlite's PostgreSQL, which reads no files of another one. */
const POSTGRES_VERSION = '18';

function openingError(dataDir: string, error: unknown): DatabaseError {
  const known = explainDataDir(dataDir, error);
  if (known !== null) return known;
  const file = join(dataDir, 'database', 'PG_VERSION');
  const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : POSTGRES_VERSION;
  if (version !== POSTGRES_VERSION)
    return new DatabaseError(
      `The database in ${dataDir} was made with PostgreSQL ${version}, and this version of Countersign has PostgreSQL ${POSTGRES_VERSION}. ` +
        'Nothing was changed: run the version of Countersign again that made it.',
      { cause: error },
    );
  return new DatabaseError(
    `The database in ${dataDir} cannot be opened (${reasonOf(error)}). ` +
      'Restore a backup in its place: move the damaged directory aside, and keep it.',
    { cause: error },
  );
}
