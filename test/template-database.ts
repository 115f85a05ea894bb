import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openStore } from '../src/store/open-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded database that is made and migrated, to be copied: making one anew takes seconds. */
    templateDatabase: string;
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
  provide('templateDatabase', directory);
  provide('compiledCode', join(folder, 'compiled'));
  return () => rm(folder, { recursive: true, force: true });
}
