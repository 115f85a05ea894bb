import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import type { Backend } from '../../src/store/backend.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import type { Tables } from '../../src/store/tables.ts';
import { borrowPglite } from '../borrowed-pglite.ts';

/** A database for one stage; opened again it still holds everything. */
export type StoryDatabase = {
  readonly open: () => Promise<Store>;
  /** What was opened last. */
  readonly db: () => Kysely<Tables>;
  /** All that is stored, as text. */
  readonly text: () => Promise<string>;
  readonly drop: () => Promise<void>;
};

/** A PGlite in memory, empty but for its tables, or a fresh database where `TEST_DATABASE_URL` names a PostgreSQL server. */
export function storyDatabase(): Promise<StoryDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embedded() : onServer(url);
}

async function embedded(): Promise<StoryDatabase> {
  const pglite = await borrowPglite();
  return opening(pglite.open, async () => pglite.giveBack());
}

async function onServer(url: string): Promise<StoryDatabase> {
  const name = `countersign_story_${randomUUID().replaceAll('-', '')}`;
  await command(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return opening(
    () => openPostgres(own.href),
    () => command(url, `drop database if exists ${name} with (force)`),
  );
}

function opening(openBackend: () => Promise<Backend>, drop: () => Promise<void>): StoryDatabase {
  let backend: Backend | null = null;
  const db = (): Kysely<Tables> => {
    if (backend === null) throw new Error('The database is not open yet.');
    return backend.db;
  };
  return {
    async open() {
      backend = await openBackend();
      await migrate(backend.db);
      return storeOn(backend);
    },
    db,
    text: () => allRows(db()),
    drop,
  };
}

async function allRows(db: Kysely<Tables>): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1
  `.execute(db);
  const rows = tables.rows.map(({ name }) =>
    sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(db),
  );
  return (await Promise.all(rows)).flatMap((result) => result.rows.map(({ row }) => row)).join('\n');
}

async function command(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
