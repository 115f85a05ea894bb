import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openStore } from '../src/store/open-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded database that is made and migrated, to be copied: making one anew takes seconds. */
    templateDatabase: string;
  }
}

/** Makes one embedded database before all tests, and removes it after them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-template-'));
  const store = await openStore({ databaseUrl: null, dataDir: directory }, 'unsynced');
  await store.close();
  provide('templateDatabase', directory);
  return () => rm(directory, { recursive: true, force: true });
}
