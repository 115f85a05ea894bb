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
import { vacuumChanged } from './vacuum.ts';
import { VacuumSoon } from './vacuum-soon.ts';

/** By the number of PostgreSQL's type: `bigint` is 20, and ours stay far below 2^53. */
export const PARSERS = { 20: Number } as const;

/** Brings all that was written onto the disk, where anything was. */
const SYNC = sql`select case when pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()
  then pg_logical_emit_message(false, 'countersign', '', true) end`;

/** Samples of a table are few, so that an `analyze` is a matter of some 20 ms; for what we ask they are enough. */
const SAMPLING = sql`select set_config('default_statistics_target', '10', false)`;

/** Opens the embedded database: in memory, or in `dataDir`, which is then held by this process alone. */
export async function openPglite(dataDir: string | null): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await start(dataDir);
    const keepers: readonly Keeper[] = [
      new VacuumSoon(() => vacuumChanged(backend.db)),
      ...(dataDir === null ? [] : [new SyncSoon(() => SYNC.execute(backend.db))]),
    ];
    const backend = await backendOn(pglite, () => pglite.close().finally(() => lock?.release()), keepers);
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

/** Does what a server does by itself; told after each use of the database. */
type Keeper = { used(): void; stop(): Promise<void> | void };

/** Works on a PGlite that is open; `close` is called once this is done with it, and decides what becomes of it. */
export async function backendOn(
  pglite: PGlite,
  close: () => Promise<void>,
  keepers: readonly Keeper[] = [],
): Promise<Backend> {
  const used = (): void => {
    for (const keeper of keepers) keeper.used();
  };
  const db = new Kysely<Tables>({ dialect: pgliteDialect(pglite, used) });
  const holder = newHolder();
  await SAMPLING.execute(db);
  await sql`select pg_advisory_lock(${HOLDERS}::integer, ${holder}::integer)`.execute(db);
  return {
    db,
    embedded: true,
    holder,
    tellOthers: () => {},
    onTold: () => {},
    onCut: () => {},
    tenure: () => db,
    async close() {
      for (const keeper of keepers) await keeper.stop();
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
