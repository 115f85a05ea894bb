import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { openStore } from '../src/store/open-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded database that is made and migrated, to be copied: making one anew takes seconds. */
    templateDatabase: string;
    /** The same as an archive, to be loaded into memory. */
    templateArchive: string;
    /** Where processes that tests start keep their compiled code for each other: half of a start is compiling. */
    compiledCode: string;
  }
}

/** Makes one embedded database before all tests, and removes it after them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tests-'));
  const directory = join(folder, 'template');
  const store = await openStore({ databaseUrl: null, dataDir: directory }, 'unsynced');
  await store.close();
  const archive = join(folder, 'template.tar');
  await writeFile(archive, await packed(join(directory, 'database')));
  provide('templateDatabase', directory);
  provide('templateArchive', archive);
  provide('compiledCode', join(folder, 'compiled'));
  return () => rm(folder, { recursive: true, force: true });
}

async function packed(dataDir: string): Promise<Uint8Array> {
  const pglite = await PGlite.create({ dataDir });
  const archive = await pglite.dumpDataDir('none');
  await pglite.close();
  return new Uint8Array(await archive.arrayBuffer());
}
