import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createPostgresServer, findPostgresPrograms, type PostgresServer } from '../../../lab/chaos/postgres-server.ts';

const programs = findPostgresPrograms();

let server: PostgresServer | null = null;

afterEach(async () => {
  await server?.remove();
  server = null;
});

async function ask(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const ROWS = 'select one from trial order by one';

describe.skipIf(programs === null)('a server that is killed', () => {
  it('forgets only writes that were not synced to disk', { timeout: 60_000 }, async () => {
    if (programs === null) return;
    server = await createPostgresServer(programs);
    await server.start();
    const { url } = server;
    await ask(url, 'create table trial (one integer)');
    await ask(url, 'insert into trial values (1)');
    await ask(url, 'set synchronous_commit = off; insert into trial values (2)');
    await server.crash(10);
    await expect(ask(url, ROWS)).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await ask(url, ROWS)).toEqual([{ one: 1 }]);
  });

  it('restarts itself when one of its processes dies', { timeout: 60_000 }, async () => {
    if (programs === null) return;
    server = await createPostgresServer(programs);
    await server.start();
    const { url } = server;
    const client = new Client({ connectionString: url });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    server.crashOneProcess(([first = 0]) => first);
    await ended;
    await server.waitUntilReady();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
