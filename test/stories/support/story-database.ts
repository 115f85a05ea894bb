import { type Kysely, sql } from 'kysely';
import { inject } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables, notifyListeners } from '../../../lab/simulation/memory-store/tables.ts';
import { openPostgres } from '../../../src/adapters/store/engine/postgres.ts';
import type { Backend, DatabaseSchema } from '../../../src/adapters/store/engine/schema.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import { ANY_NUMBER, type Store } from '../../../src/adapters/store/store.ts';
import { borrowPglite } from '../../support/borrowed-pglite.ts';
import { makeDatabase, serverUrl } from '../../support/server-database.ts';

/** A database for one stage, which keeps its data when it is opened again. */
export type StoryDatabase = {
  readonly open: () => Promise<Store>;
  /** The connection that was opened last. A database in memory has none. */
  readonly db: () => Kysely<DatabaseSchema>;
  /** All stored data as text. */
  readonly text: () => Promise<string>;
  readonly drop: () => Promise<void>;
  /** Makes the App look for due work at once where the clock jumped, and not only within a second. */
  readonly wake?: () => void;
  /** When the next work is due (ms); null while any is being done. */
  readonly restsUntil?: (now: number) => Promise<number | null>;
};

/**
 * A new database on the PostgreSQL server of `TEST_DATABASE_URL`. Without one, a migrated PGlite where the story needs
 * SQL, and otherwise the store in memory, which keeps the same contract.
 */
export async function storyDatabase(needsSql = false): Promise<StoryDatabase> {
  const server = serverUrl();
  if (server !== null) return onServer(server);
  return needsSql ? embedded() : inMemory();
}

function inMemory(): StoryDatabase {
  const tables = createMemoryTables();
  const listed = (_: string, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value);
  return {
    open: async () => createMemoryStore(tables),
    db: () => {
      throw new Error('The stage of this story stores in memory: open it with `needsSql`.');
    },
    text: async () => JSON.stringify(tables, listed),
    drop: async () => {},
    wake() {
      for (const kind of ['pull', 'effect'] as const) notifyListeners(tables, kind, ANY_NUMBER);
    },
    async restsUntil(now) {
      const pulls = [...tables.pulls.values()];
      const claimed = [...pulls, ...pulls.flatMap(({ pendingEffects }) => pendingEffects)];
      return claimed.some(({ leaseUntil }) => (leaseUntil ?? 0) > now) ? null : createMemoryStore(tables).nextDue();
    },
  };
}

async function embedded(): Promise<StoryDatabase> {
  const pglite = await borrowPglite();
  return opening(pglite.open, async () => pglite.giveBack());
}

async function onServer(server: string): Promise<StoryDatabase> {
  const { url, drop } = await makeDatabase(server, inject('serverTemplate'));
  return opening(() => openPostgres(url), drop);
}

function opening(openBackend: () => Backend, drop: () => Promise<void>): StoryDatabase {
  let backend: Backend | null = null;
  const db = (): Kysely<DatabaseSchema> => {
    if (backend === null) throw new Error('The database is not open yet.');
    return backend.db;
  };
  return {
    async open() {
      backend = openBackend();
      return createStore(backend);
    },
    db,
    text: () => allRows(db()),
    drop,
  };
}

async function allRows(db: Kysely<DatabaseSchema>): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1
  `.execute(db);
  const rows = tables.rows.map(({ name }) =>
    sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(db),
  );
  return (await Promise.all(rows)).flatMap((result) => result.rows.map(({ row }) => row)).join('\n');
}
