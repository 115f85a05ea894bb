import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/store/migrate.ts';
import { backendOn, PARSERS } from '../src/store/open-pglite.ts';

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
  const archive = join(folder, 'template.tar');
  await writeFile(archive, await made(join(directory, 'database')));
  provide('templateDatabase', directory);
  provide('templateArchive', archive);
  provide('compiledCode', join(folder, 'compiled'));
  return () => rm(folder, { recursive: true, force: true });
}

/** Makes it there, and answers it packed. Nothing is synced: no power cut has to be survived. */
async function made(dataDir: string): Promise<Uint8Array> {
  await mkdir(dirname(dataDir));
  const pglite = await PGlite.create({ dataDir, parsers: PARSERS });
  const backend = await backendOn(pglite, async () => {});
  await migrate(backend.db);
  await backend.close();
  const archive = await pglite.dumpDataDir('none');
  await pglite.close();
  return new Uint8Array(await archive.arrayBuffer());
}
