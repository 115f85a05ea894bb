import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/adapters/store/engine/migrate.ts';
import { createPgliteBackend, TYPE_PARSERS } from '../../src/adapters/store/engine/pglite.ts';
import { openPostgres } from '../../src/adapters/store/engine/postgres.ts';
import { makeDatabase, type ServerDatabase, serverUrl } from './server-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded database that is made and migrated, to be copied: making one anew takes seconds. */
    templateDatabase: string;
    /** The same as an archive, to be loaded into memory. */
    templateArchive: string;
    /** Name of such a database on the server of `TEST_DATABASE_URL`, to be copied; null where none is named. */
    serverTemplate: string | null;
    /** Where processes that tests start keep their compiled code for each other: half of a start is compiling. */
    compiledCode: string;
  }
}

/** Makes one database of each kind before all tests, and removes them after them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tests-'));
  const directory = join(folder, 'template');
  const archive = join(folder, 'template.tar');
  await writeFile(archive, await made(join(directory, 'database')));
  provide('templateDatabase', directory);
  provide('templateArchive', archive);
  provide('compiledCode', join(folder, 'compiled'));
  const onServer = await madeOnServer();
  provide('serverTemplate', onServer?.name ?? null);
  return async () => {
    await onServer?.drop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Makes it there, and answers it packed. Nothing is synced: no power cut has to be survived. */
async function made(dataDir: string): Promise<Uint8Array> {
  await mkdir(dirname(dataDir));
  const pglite = await PGlite.create({ dataDir, parsers: TYPE_PARSERS });
  const backend = await createPgliteBackend(pglite, async () => {});
  await migrate(backend.db);
  await backend.close();
  const archive = await pglite.dumpDataDir('none');
  await pglite.close();
  return new Uint8Array(await archive.arrayBuffer());
}

async function madeOnServer(): Promise<ServerDatabase | null> {
  const server = serverUrl();
  if (server === null) return null;
  const database = await makeDatabase(server, null);
  const backend = await openPostgres(database.url);
  await migrate(backend.db);
  await backend.close();
  return database;
}
