import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Backend } from '../../src/store/backend.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { type BorrowedPglite, borrowPglite } from '../borrowed-pglite.ts';

/** A database of a test file's own. `open` may be called again where several processes can share it. */
export type TestDatabase = {
  readonly name: string;
  readonly shared: boolean;
  readonly open: () => Promise<Backend>;
  readonly drop: () => Promise<void>;
};

/** PGlite always; PostgreSQL as well where `TEST_DATABASE_URL` names one that may make databases. */
export function testDatabases(): readonly TestDatabase[] {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? [embedded()] : [embedded(), onServer(url)];
}

/** Always one and the same, emptied at each `open`: nobody else may use what is in one process. */
function embedded(): TestDatabase {
  let borrowed: BorrowedPglite | null = null;
  const drop = async (): Promise<void> => {
    borrowed?.giveBack();
    borrowed = null;
  };
  return {
    name: 'PGlite',
    shared: false,
    async open() {
      await drop();
      borrowed = await borrowPglite();
      return borrowed.open();
    },
    drop,
  };
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
