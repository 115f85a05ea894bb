import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, sql } from 'kysely';
import { type Backend, HOLDERS, newHolder } from './backend.ts';
import { lockDirectory } from './directory-lock.ts';
import { DurableFiles, durableStart, syncTree } from './durable-files.ts';
import { pgliteDialect } from './pglite-dialect.ts';
import { StoreUnusable } from './store-unusable.ts';
import { SyncSoon } from './sync-soon.ts';
import type { Tables } from './tables.ts';

/** By the number of PostgreSQL's type: `bigint` is 20, and ours stay far below 2^53. */
export const PARSERS = { 20: Number } as const;

/** Brings all that was written onto the disk, where anything was. */
const SYNC = sql`select case when pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()
  then pg_logical_emit_message(false, 'countersign', '', true) end`;

/** Opens the embedded database: in memory, or in `dataDir`, which is then held by this process alone. */
export async function openPglite(dataDir: string | null): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await start(dataDir);
    const soon = dataDir === null ? undefined : new SyncSoon(() => SYNC.execute(backend.db));
    const backend = await backendOn(pglite, () => pglite.close().finally(() => lock?.release()), soon);
    return backend;
  } catch (error) {
    lock?.release();
    throw dataDir === null ? error : new StoreUnusable(unreadable(dataDir, error), { cause: error });
  }
}

async function start(dataDir: string | null): Promise<PGlite> {
  if (dataDir === null) return PGlite.create({ parsers: PARSERS });
  const directory = join(dataDir, 'database');
  const isNew = !existsSync(join(directory, 'PG_VERSION'));
  const fs = new DurableFiles(directory);
  const pglite = await PGlite.create({ fs, parsers: PARSERS, relaxedDurability: false, startParams: durableStart() });
  if (isNew) syncTree(directory);
  return pglite;
}

/**
 * Works on a PGlite that is open; `close` is called once this is done with it, and decides what becomes of it. `soon` is
 * told whenever something may have been written.
 */
export async function backendOn(pglite: PGlite, close: () => Promise<void>, soon?: SyncSoon): Promise<Backend> {
  const db = new Kysely<Tables>({ dialect: pgliteDialect(pglite, () => soon?.used()) });
  const holder = newHolder();
  await sql`select pg_advisory_lock(${HOLDERS}::integer, ${holder}::integer)`.execute(db);
  return {
    db,
    embedded: true,
    holder,
    tellOthers: () => {},
    onTold: () => {},
    onCut: () => {},
    async close() {
      soon?.stop();
      try {
        await sql`select pg_advisory_unlock(${HOLDERS}::integer, ${holder}::integer)`.execute(db);
      } finally {
        await close();
      }
    },
  };
}

function unreadable(dataDir: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The database in ${dataDir} cannot be opened (${reason}). Restore a backup there, or set DATA_DIR to an empty directory.`;
}
