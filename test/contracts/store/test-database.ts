import type { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import { createPgliteBackend } from '../../../src/adapters/store/engine/pglite.ts';
import { openPostgres } from '../../../src/adapters/store/engine/postgres.ts';
import type { Backend } from '../../../src/adapters/store/engine/schema.ts';
import { fromTemplate } from '../../support/borrowed-pglite.ts';
import { command, makeDatabase, type ServerDatabase, serverUrl } from '../../support/server-database.ts';

/** A migrated database for one test file. A shared one can be opened several times. */
export type TestDatabase = {
  readonly name: string;
  readonly shared: boolean;
  readonly open: () => Promise<Backend>;
  readonly drop: () => Promise<void>;
};

/** PGlite, and PostgreSQL if `TEST_DATABASE_URL` names a server that can create databases. */
export function testDatabases(): readonly TestDatabase[] {
  const server = serverUrl();
  return server === null ? [embedded()] : [embedded(), onServer(server)];
}

/** Not borrowed from other tests, because some tests change the schema. */
function embedded(): TestDatabase {
  let pglite: PGlite | null = null;
  return {
    name: 'PGlite',
    shared: false,
    async open() {
      pglite = await fromTemplate();
      return createPgliteBackend(pglite, async () => {});
    },
    drop: async () => pglite?.close(),
  };
}

/**
 * As an operator may set it up: with an isolation that would break promises if the store took it over (S77, B14), and
 * with all tables published, which then need keys.
 */
async function makeStrictDatabase(server: string): Promise<ServerDatabase> {
  const made = await makeDatabase(server, inject('serverTemplate'));
  await command(made.url, 'create publication everything for all tables');
  await command(server, `alter database ${made.name} set default_transaction_isolation = 'repeatable read'`);
  return made;
}

function onServer(server: string): TestDatabase {
  let made: Promise<ServerDatabase> | null = null;
  return {
    name: 'PostgreSQL',
    shared: true,
    async open() {
      made ??= makeStrictDatabase(server);
      return openPostgres((await made).url);
    },
    drop: async () => (await made)?.drop(),
  };
}
