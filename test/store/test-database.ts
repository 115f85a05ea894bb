import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Backend } from '../../src/store/backend.ts';
import { openPglite } from '../../src/store/open-pglite.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';

/** A database of a test file's own. `open` may be called again where several processes can share it. */
export type TestDatabase = {
  readonly name: string;
  readonly shared: boolean;
  readonly open: () => Promise<Backend>;
  readonly drop: () => Promise<void>;
};

/** PGlite always; PostgreSQL as well where `TEST_DATABASE_URL` names one that may make databases. */
export function testDatabases(): readonly TestDatabase[] {
  const embedded = { name: 'PGlite', shared: false, open: () => openPglite(null), drop: async () => {} };
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? [embedded] : [embedded, onServer(url)];
}

function onServer(url: string): TestDatabase {
  const name = `countersign_test_${randomUUID().replaceAll('-', '')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  let made: Promise<void> | null = null;
  return {
    name: 'PostgreSQL',
    shared: true,
    async open() {
      made ??= command(url, `create database ${name}`);
      await made;
      return openPostgres(own.href);
    },
    drop: () => command(url, `drop database if exists ${name} with (force)`),
  };
}

async function command(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
