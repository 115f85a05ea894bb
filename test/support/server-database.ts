import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** `TEST_DATABASE_URL`: a PostgreSQL server whose user can create databases; null if unset. */
export function serverUrl(): string | null {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? null : url;
}

/** A database on that server for one test file. */
export type ServerDatabase = { readonly name: string; readonly url: string; readonly drop: () => Promise<void> };

/** Creates a database, as a copy of `template` if given, which must have no connections. */
export async function makeDatabase(server: string, template: string | null): Promise<ServerDatabase> {
  const name = `countersign_test_${randomUUID().replaceAll('-', '')}`;
  await command(server, `create database ${name}${template === null ? '' : ` template ${template}`}`);
  const own = new URL(server);
  own.pathname = `/${name}`;
  return { name, url: own.href, drop: () => command(server, `drop database if exists ${name} with (force)`) };
}

/** Runs statements one after the other, each in its own transaction. */
export async function command(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
