import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { backendOn, PARSERS } from '../../src/store/open-pglite.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';

/** A database for one stage; opened again it still holds everything. */
export type StoryDatabase = { readonly open: () => Promise<Store>; readonly drop: () => Promise<void> };

/** A PGlite in memory, empty but for its tables, or a fresh database where `TEST_DATABASE_URL` names a PostgreSQL server. */
export function storyDatabase(): Promise<StoryDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embedded() : onServer(url);
}

/** Those that no stage uses now: the files of a worker run one after another, and starting one takes longer than emptying it. */
const idle: PGlite[] = [];

async function embedded(): Promise<StoryDatabase> {
  const pglite = idle.pop() ?? (await fromTemplate());
  await pglite.exec('drop schema public cascade; create schema public');
  return {
    async open() {
      const backend = await backendOn(pglite, async () => {});
      await migrate(backend.db);
      return storeOn(backend);
    },
    async drop() {
      idle.push(pglite);
    },
  };
}

async function fromTemplate(): Promise<PGlite> {
  const loadDataDir = new Blob([await readFile(inject('templateArchive'))]);
  return PGlite.create({ parsers: PARSERS, loadDataDir });
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
