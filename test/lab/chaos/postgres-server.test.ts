import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createPostgresServer, findPostgresPrograms, type PostgresServer } from '../../../lab/chaos/postgres-server.ts';

const programs = findPostgresPrograms();

let server: PostgresServer | null = null;

afterEach(async () => {
  await server?.remove();
  server = null;
});

async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const SELECT_ROWS = 'select one from trial order by one';

describe.skipIf(programs === null)('a PostgreSQL server that is killed', () => {
  it('loses only writes that were not synced to disk', { timeout: 60_000 }, async () => {
    if (programs === null) return;
    server = await createPostgresServer(programs);
    await server.start();
    const { url } = server;
    await query(url, 'create table trial (one integer)');
    await query(url, 'insert into trial values (1)');
    await query(url, 'set synchronous_commit = off; insert into trial values (2)');
    await server.crash(10);
    await expect(query(url, SELECT_ROWS)).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await query(url, SELECT_ROWS)).toEqual([{ one: 1 }]);
  });

  it('restarts itself when one of its processes dies', { timeout: 60_000 }, async () => {
    if (programs === null) return;
    server = await createPostgresServer(programs);
    await server.start();
    const { url } = server;
    const client = new Client({ connectionString: url });
    const disconnected = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    server.crashOneProcess(([first = 0]) => first);
    await disconnected;
    await server.waitUntilReady();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
