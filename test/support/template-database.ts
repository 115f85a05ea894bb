import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readPreparedDatabase, unpackPreparedDatabase } from '../../src/adapters/store/engine/data-directory.ts';
import { migrate } from '../../src/adapters/store/engine/migrate.ts';
import { openPostgres } from '../../src/adapters/store/engine/postgres.ts';
import { makeDatabase, type ServerDatabase, serverUrl } from './server-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of a migrated embedded database to copy, because creating one takes seconds. */
    templateDatabase: string;
    /** The template database as an archive, to load into memory. */
    templateArchive: string;
    /** Name of a migrated template on the server of `TEST_DATABASE_URL`; null without a server. */
    serverTemplate: string | null;
    /** A folder that is removed after all tests. */
    sharedFolder: string;
    /** Compile cache shared by the processes of tests: half of a start is compilation. */
    compiledCode: string;
  }
}

/** Creates one database of each kind before all tests, and removes it afterwards. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tests-'));
  const directory = join(folder, 'template');
  const archive = join(folder, 'template.tar');
  await writeFile(archive, await unpackTemplate(join(directory, 'database')));
  provide('sharedFolder', folder);
  provide('templateDatabase', directory);
  provide('templateArchive', archive);
  provide('compiledCode', join(import.meta.dirname, '../../.compiled'));
  const onServer = await createServerTemplate();
  provide('serverTemplate', onServer?.name ?? null);
  return async () => {
    await onServer?.drop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Unpacks the database of `npm ci` into this directory; returns it as an archive. */
async function unpackTemplate(directory: string): Promise<Uint8Array> {
  // After a change of the migrations there is none yet.
  await import('../../scripts/prepare-database.ts');
  const archive = readPreparedDatabase();
  if (archive === null) throw new Error('The embedded database could not be prepared.');
  await mkdir(directory, { recursive: true });
  await unpackPreparedDatabase(directory);
  return archive;
}

async function createServerTemplate(): Promise<ServerDatabase | null> {
  const server = serverUrl();
  if (server === null) return null;
  const database = await makeDatabase(server, null);
  const backend = await openPostgres(database.url);
  await migrate(backend.db);
  await backend.close();
  return database;
}
