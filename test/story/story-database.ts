import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

/** A database for one stage; opened again it still holds everything. */
export type StoryDatabase = { readonly open: () => Promise<Store>; readonly drop: () => Promise<void> };

/** A directory for PGlite, which syncs nothing there because no power is cut, or a fresh database where `TEST_DATABASE_URL` names a PostgreSQL server. */
export function storyDatabase(): Promise<StoryDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embedded() : onServer(url);
}

async function embedded(): Promise<StoryDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-story-'));
  await cp(inject('templateDatabase'), dataDir, { recursive: true });
  return {
    open: () => openStore({ databaseUrl: null, dataDir }, 'unsynced'),
    drop: () => rm(dataDir, { recursive: true, force: true }),
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
