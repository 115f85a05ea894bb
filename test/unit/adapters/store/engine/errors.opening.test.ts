import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { DatabaseError, explainPostgres } from '../../../../../src/adapters/store/engine/errors.ts';
import { openStore } from '../../../../../src/adapters/store/open.ts';
import { listen } from '../../../../support/listen.ts';
import { command, makeDatabase, serverUrl } from '../../../../support/server-database.ts';

/** A server that answers the request for TLS with this byte (`N`: it has none), and then hangs up. */
async function tlsServer(answer: 'N' | 'S'): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  return { port: await listen(server), close: () => server.close() };
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
    ['53300', 'sorry, too many clients already', 'each one needs ten connections'],
    ['53100', 'could not extend file "base/5/1"', 'The disk of its server is full'],
    ['25006', 'cannot execute INSERT in a read-only transaction', 'the address of the primary'],
    ['57P03', 'the database system is starting up', 'Wait until'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'sslrootcert=PATH'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match', 'correct the host name'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'sslrootcert=PATH'],
    ['ECONNREFUSED', 'connect ECONNREFUSED', 'Check its address'],
  ])('%s', (code, message, step) => {
    const error = String(explainPostgres(Object.assign(new Error(message), { code })));
    expect(error).toContain(`cannot be used (${message}). `);
    expect(error).toContain(step);
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
  ])('where another program ran: %s', async (...statements) => {
    expect(await refusalAfter(statements)).toMatch(/tables of another program, .*a database of its own/);
  });

  it('where the search_path names no schema that exists', async () => {
    expect(await refusalAfter([], '?options=-c%20search_path%3Dnowhere')).toContain('set search_path = public');
  });

  it('where the role may not create tables', async () => {
    const role = `countersign_poor_${randomUUID().slice(0, 8)}`;
    const database = await makeDatabase(serverUrl() ?? '', null);
    await command(database.url, `create role ${role} login password 'secret'`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'secret' }).href;
    expect(await refusal(url)).toMatch(/permission denied .*Its role must own the database: .*owner to ROLE/);
    await command(
      database.url,
      `alter database ${database.name} owner to ${role}`,
      `grant create on schema public to ${role}`,
    );
    expect(await refusal(url)).toBe('it was opened');
    await database.drop();
    await command(serverUrl() ?? '', `drop role ${role}`);
  });

  it('where the encoding lacks characters, before anything is created in it', async () => {
    const name = `countersign_latin_${randomUUID().slice(0, 8)}`;
    await command(serverUrl() ?? '', `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = Object.assign(new URL(serverUrl() ?? ''), { pathname: `/${name}` }).href;
    expect(await refusal(url)).toMatch(/has the encoding LATIN1, .*"create database countersign encoding 'UTF8'/);
    await expect(command(url, 'select from migrations')).rejects.toThrow('does not exist');
    await command(serverUrl() ?? '', `drop database ${name} with (force)`);
  });
});
