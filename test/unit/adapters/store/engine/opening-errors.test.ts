import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../../../src/adapters/store/engine/errors.ts';
import { unreachableError } from '../../../../../src/adapters/store/engine/opening-errors.ts';
import { openLedger, openStore } from '../../../../../src/adapters/store/open.ts';
import { command, makeDatabase, serverUrl } from '../../../../support/server-database.ts';

/** A server that answers the request for TLS with this byte (`N`: it has none), and then hangs up. */
async function tlsServer(answer: 'N' | 'S'): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, close: () => server.close() };
}

function refusal(databaseUrl: string): Promise<string> {
  return openStore({ databaseUrl, dataDir: null }).then(
    async (store) => {
      await store.close();
      return 'it was opened';
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(DatabaseError);
      return error instanceof Error ? error.message : '';
    },
  );
}

describe('a connection that fails says what to do (O9)', () => {
  it.each([
    ['28P01', 'password authentication failed for user "me"', 'Check the user and the password'],
    ['3D000', 'database "x" does not exist', 'Create that database'],
    ['53300', 'sorry, too many clients already', 'each one needs 11 connections'],
    ['57P03', 'the database system is starting up', 'Wait until'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'sslrootcert=PATH'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match', 'correct the host name'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'sslrootcert=PATH'],
    ['ECONNREFUSED', 'connect ECONNREFUSED', 'Check its address'],
  ])('%s', (code, message, step) => {
    const error = unreachableError(Object.assign(new Error(message), { code }));
    expect(error.message).toContain(`cannot be reached (${message}). `);
    expect(error.message).toContain(step);
  });

  it('a missing file of sslrootcert is named', async () => {
    expect(await refusal('postgres://me@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem')).toMatch(
      /nowhere\/ca\.pem.* Correct the paths of sslrootcert/,
    );
  });

  it('sslmode=require demands TLS without the driver’s own warning, and a server without it is explained', async () => {
    const warned: string[] = [];
    const listen = (warning: Error): void => void warned.push(warning.message);
    process.on('warning', listen);
    const server = await tlsServer('N');
    for (const mode of ['require', 'prefer', 'verify-ca', 'verify-full'])
      expect(await refusal(`postgres://me@127.0.0.1:${server.port}/x?sslmode=${mode}`)).toMatch(
        /does not support SSL connections\)\. Turn on TLS at the server, or remove sslmode/,
      );
    await new Promise(setImmediate);
    process.off('warning', listen);
    server.close();
    expect(warned).toEqual([]);
  });
});

const server = serverUrl();

describe.skipIf(server === null)('a role of PostgreSQL without enough rights (O9)', () => {
  const suffix = randomUUID().slice(0, 8);
  const [role, database] = [`countersign_poor_${suffix}`, `countersign_poor_${suffix}`];

  async function execute(name: string | null, ...statements: readonly string[]): Promise<void> {
    const url = new URL(server ?? '');
    if (name !== null) url.pathname = `/${name}`;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  function poorUrl(): string {
    const url = new URL(server ?? '');
    [url.pathname, url.username, url.password] = [`/${database}`, role, 'secret'];
    return url.href;
  }

  beforeAll(async () => {
    await execute(null, `create role ${role} login password 'secret'`, `create database ${database}`);
    await execute(database, 'revoke create on schema public from public');
  });
  afterAll(() => execute(null, `drop database ${database} with (force)`, `drop role ${role}`));

  it('to create tables is told which statement helps, and that statement does', async () => {
    const message = await refusal(poorUrl());
    expect(message).toContain(
      `The role ${role} may not create tables in the database ${database} (permission denied for schema public)`,
    );
    const statement = /run "(grant [^"]+)" in that database/.exec(message)?.[1] ?? '';
    await execute(database, `revoke usage on schema public from public`);
    expect(await refusal(poorUrl())).toContain(`run "${statement}"`);
    await execute(database, statement);
    expect(await refusal(poorUrl())).toBe('it was opened');
  });

  it('to use tables of another role is sent to the list of rights', async () => {
    await execute(database, `reassign owned by ${role} to current_user`);
    const place = { databaseUrl: poorUrl(), dataDir: null };
    await expect(openLedger(place)).rejects.toThrow(
      /may not use the tables .*permission denied for table migrations.*docs\/operations\.md/,
    );
    expect(await refusal(poorUrl())).toMatch(/lacks rights on the tables inbox, .*migrations.*docs\/operations\.md/);
  });

  it('to write, on a server that is read-only, is sent to the primary', async () => {
    await execute(database, 'drop schema public cascade', `create schema public authorization ${role}`);
    await execute(database, `alter role ${role} set default_transaction_read_only = on`);
    expect(await refusal(poorUrl())).toMatch(/is read-only .*Use the address of the primary/);
  });
});

describe.skipIf(serverUrl() === null)('a database that is set up for something else says what to do (O9)', () => {
  async function refusalAfter(statements: readonly string[], parameters = ''): Promise<string> {
    const database = await makeDatabase(serverUrl() ?? '', null);
    try {
      await command(database.url, ...statements);
      return await refusal(`${database.url}${parameters}`);
    } finally {
      await database.drop();
    }
  }

  it.each([
    ['create table migrations (id serial primary key, migration text, batch integer)'],
    ['create table migrations (number integer, name text)', "insert into migrations values (1, 'add users')"],
    ['create table migrations (number text, name text)', "insert into migrations values ('20260101', 'add users')"],
    ['create table messages (id serial primary key)'],
    ['create function refuse_change() returns integer language sql as $$ select 1 $$'],
  ])('where another program ran: %s', async (...statements) => {
    expect(await refusalAfter(statements)).toMatch(/has tables of another program \(.+\)\. .*a database of its own/);
  });

  it('where the search_path names no schema that exists', async () => {
    expect(await refusalAfter([], '?options=-c%20search_path%3Dnowhere')).toMatch(
      /may not create tables .*Its search_path names no schema that exists: .*set search_path = public/,
    );
  });
});
