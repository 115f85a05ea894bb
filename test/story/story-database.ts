import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { borrowPglite } from '../borrowed-pglite.ts';

/** A database for one stage; opened again it still holds everything. */
export type StoryDatabase = { readonly open: () => Promise<Store>; readonly drop: () => Promise<void> };

/** A PGlite in memory, empty but for its tables, or a fresh database where `TEST_DATABASE_URL` names a PostgreSQL server. */
export function storyDatabase(): Promise<StoryDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embedded() : onServer(url);
}

async function embedded(): Promise<StoryDatabase> {
  const pglite = await borrowPglite();
  return {
    async open() {
      const backend = await pglite.open();
      await migrate(backend.db);
      return storeOn(backend);
    },
    drop: async () => pglite.giveBack(),
  };
}

async function onServer(url: string): Promise<StoryDatabase> {
  const name = `countersign_story_${randomUUID().replaceAll('-', '')}`;
  await command(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    open: () => openStore({ databaseUrl: own.href, dataDir: null }),
    drop: () => command(url, `drop database if exists ${name} with (force)`),
  };
}

async function command(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
