import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** The database of all processes of a run. */
export type ChaosDatabase = {
  /** The environment variables that select it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes it unavailable for some time (ms); null if it is embedded in the App's process. */
  readonly restart: ((ms: number) => Promise<void>) | null;
  readonly drop: () => Promise<void>;
};

/** An embedded database in a new temporary directory. */
export async function createEmbeddedDatabase(): Promise<ChaosDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-'));
  return {
    environment: { DATA_DIR: join(folder, 'data') },
    restart: null,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A new database on this server. A restart closes and refuses its connections; other databases are not affected. */
export async function createDatabaseOn(server: string): Promise<ChaosDatabase> {
  const name = `countersign_chaos_${randomUUID().replaceAll('-', '')}`;
  await runStatements(server, [`create database ${name}`]);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    environment: { DATABASE_URL: url.href },
    async restart(ms) {
      await runStatements(server, [
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ]);
      await sleep(ms);
      await runStatements(server, [`alter database ${name} allow_connections true`]);
    },
    drop: () => runStatements(server, [`drop database if exists ${name} with (force)`]),
  };
}

async function runStatements(server: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
