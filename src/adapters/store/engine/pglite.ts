import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, sql } from 'kysely';
import { type Backend, createLeaseHolderId, LEASE_HOLDER_LOCKS } from './backend.ts';
import { DatabaseError } from './errors.ts';
import { accessError, isAccessDenied } from './file-access.ts';
import { MaintenanceScheduler, maintain } from './maintenance.ts';
import { fullDiskError, hasNoSpace, isDiskFull, reasonOf, tooSmallDiskError } from './opening-errors.ts';
import { pgliteDialect } from './pglite-dialect.ts';
import { DurableFiles, durableStartParams, lockDirectory, makePrivateDirectory, syncTree } from './pglite-files.ts';
import type { DatabaseSchema } from './schema.ts';

/** Keyed by type id: 20 is `bigint`, and our values stay far below 2^53. */
export const TYPE_PARSERS = { 20: Number } as const;

/** Small samples keep an `analyze` at about 20 ms, and suffice for our queries. */
const SET_STATISTICS_TARGET = sql`select set_config('default_statistics_target', '10', false)`;

/** Opens the embedded database in memory, or in `dataDir`, which it locks for this process. */
export async function openPglite(dataDir: string | null): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await startPglite(dataDir);
    const scheduler = new MaintenanceScheduler(() => maintain(backend.db));
    const close = () => pglite.close().finally(() => lock?.release());
    const backend = await createPgliteBackend(pglite, close, scheduler).catch(async (error: unknown) => {
      await pglite.close();
      throw error;
    });
    return backend;
  } catch (error) {
    lock?.release();
    throw dataDir === null || error instanceof DatabaseError ? error : openingError(dataDir, error);
  }
}

async function startPglite(dataDir: string | null): Promise<PGlite> {
  if (dataDir === null) return PGlite.create({ parsers: TYPE_PARSERS });
  const directory = join(dataDir, 'database');
  makePrivateDirectory(directory);
  if (existsSync(join(directory, 'PG_VERSION'))) return openFiles(directory);
  const isEmpty = readdirSync(directory).length === 0;
  try {
    const pglite = await openFiles(directory);
    syncTree(directory);
    return pglite;
  } catch (error) {
    if (!isEmpty) throw error;
    const isFull = isDiskFull(error) || hasNoSpace(directory);
    // Half a database could never be opened. It holds nothing: no delivery is accepted before this function returns.
    rmSync(directory, { recursive: true, force: true });
    throw isFull ? tooSmallDiskError(dataDir, error) : error;
  }
}

/** Creates a database in an empty directory, or opens the existing one. */
function openFiles(directory: string): Promise<PGlite> {
  return PGlite.create({
    fs: new DurableFiles(directory),
    parsers: TYPE_PARSERS,
    relaxedDurability: false,
    startParams: durableStartParams(),
  });
}

/** Creates a backend on an open PGlite. Closing the backend calls `close` last. */
export async function createPgliteBackend(
  pglite: PGlite,
  close: () => Promise<void>,
  scheduler: MaintenanceScheduler | null = null,
): Promise<Backend> {
  const db = new Kysely<DatabaseSchema>({ dialect: pgliteDialect(pglite, () => scheduler?.onUse()) });
  const leaseHolderId = createLeaseHolderId();
  await SET_STATISTICS_TARGET.execute(db);
  await sql`select pg_advisory_lock(${LEASE_HOLDER_LOCKS}::integer, ${leaseHolderId}::integer)`.execute(db);
  return {
    db,
    embedded: true,
    leaseHolderId,
    notifyOthers: () => {},
    onNotified: () => {},
    onDisconnect: () => {},
    connectionEpoch: () => db,
    async close() {
      await scheduler?.stop();
      try {
        await sql`select pg_advisory_unlock(${LEASE_HOLDER_LOCKS}::integer, ${leaseHolderId}::integer)`.execute(db);
      } finally {
        await close();
      }
    },
  };
}

/** PGlite's PostgreSQL, which reads no files of another one. */
const POSTGRES_VERSION = '18';

function openingError(dataDir: string, error: unknown): DatabaseError {
  if (isDiskFull(error) || hasNoSpace(dataDir)) return fullDiskError(dataDir, error);
  if (isAccessDenied(error)) return accessError(dataDir, error);
  const version = readVersion(dataDir);
  if (version !== null && version !== POSTGRES_VERSION)
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

/** The PostgreSQL that made the files; null if that cannot be read. */
function readVersion(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, 'database', 'PG_VERSION'), 'utf8').trim();
  } catch {
    return null;
  }
}
