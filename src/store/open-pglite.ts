import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { type Backend, HOLDERS, newHolder } from './backend.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { DurableFiles, durableStart, syncTree } from './durable-files.ts';
import { StoreUnusable } from './store-unusable.ts';
import type { Tables } from './tables.ts';

/** Number of PostgreSQL's type `bigint`; ours stay far below 2^53. */
const BIGINT = 20;

/** Whether what is stored outlives a power cut; where it need not, it is stored faster, and outlives the process only. */
export type Durability = 'synced' | 'unsynced';

/** Opens the embedded database: in memory, or in `dataDir`, which is then held by this process alone. */
export async function openPglite(dataDir: string | null, durability: Durability = 'synced'): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await start(dataDir, durability);
    return await backendOf(pglite, lock);
  } catch (error) {
    lock?.release();
    throw dataDir === null ? error : new StoreUnusable(unreadable(dataDir, error), { cause: error });
  }
}

async function start(dataDir: string | null, durability: Durability): Promise<PGlite> {
  const parsers = { [BIGINT]: Number };
  if (dataDir === null) return PGlite.create({ parsers });
  const directory = join(dataDir, 'database');
  if (durability === 'unsynced') return PGlite.create({ dataDir: directory, parsers });
  const isNew = !existsSync(join(directory, 'PG_VERSION'));
  const fs = new DurableFiles(directory);
  const pglite = await PGlite.create({ fs, parsers, relaxedDurability: false, startParams: durableStart() });
  if (isNew) syncTree(directory);
  return pglite;
}

async function backendOf(pglite: PGlite, lock: DirectoryLock | null): Promise<Backend> {
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  const holder = newHolder();
  await sql`select pg_advisory_lock(${HOLDERS}::integer, ${holder}::integer)`.execute(db);
  return {
    db,
    holder,
    tellOthers: () => {},
    onTold: () => {},
    async close() {
      await db.destroy();
      lock?.release();
    },
  };
}

function unreadable(dataDir: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The database in ${dataDir} cannot be opened (${reason}). Restore a backup there, or set DATA_DIR to an empty directory.`;
}
