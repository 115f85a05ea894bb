import type { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import type { Backend } from '../../src/store/backend.ts';
import { backendOn } from '../../src/store/open-pglite.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { fromTemplate } from '../borrowed-pglite.ts';
import { makeDatabase, type ServerDatabase, serverUrl } from '../server-database.ts';

/** A database of a test file's own, with all tables. `open` may be called again where several processes can share it. */
export type TestDatabase = {
  readonly name: string;
  readonly shared: boolean;
  readonly open: () => Promise<Backend>;
  readonly drop: () => Promise<void>;
};

/** PGlite always; PostgreSQL as well where `TEST_DATABASE_URL` names one that may make databases. */
export function testDatabases(): readonly TestDatabase[] {
  const server = serverUrl();
  return server === null ? [embedded()] : [embedded(), onServer(server)];
}

/** Its own, for tests may leave the tables in another form. */
function embedded(): TestDatabase {
  let pglite: PGlite | null = null;
  return {
    name: 'PGlite',
    shared: false,
    async open() {
      pglite = await fromTemplate();
      return backendOn(pglite, async () => {});
    },
    drop: async () => pglite?.close(),
  };
}

function onServer(server: string): TestDatabase {
  let made: Promise<ServerDatabase> | null = null;
  return {
    name: 'PostgreSQL',
    shared: true,
    async open() {
      made ??= makeDatabase(server, inject('serverTemplate'));
      return openPostgres((await made).url);
    },
    drop: async () => (await made)?.drop(),
  };
}
