import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A PostgreSQL server that may be used: `TEST_DATABASE_URL`, whose user may make databases; null where none is named. */
export function serverUrl(): string | null {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? null : url;
}

/** A database on that server, for nobody else, until it is dropped. */
export type ServerDatabase = { readonly name: string; readonly url: string; readonly drop: () => Promise<void> };

/** Makes one; as a copy of another database, to which nobody may be connected, where that is named. */
export async function makeDatabase(server: string, template: string | null): Promise<ServerDatabase> {
  const name = `countersign_test_${randomUUID().replaceAll('-', '')}`;
  await command(server, `create database ${name}${template === null ? '' : ` template ${template}`}`);
  const own = new URL(server);
  own.pathname = `/${name}`;
  return { name, url: own.href, drop: () => command(server, `drop database if exists ${name} with (force)`) };
}

async function command(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
