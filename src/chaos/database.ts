import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Where the processes store what they know. */
export type ChaosDatabase = {
  /** The variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Is away for so many ms, as while it is started anew; null where it lives in the App's own process. */
  readonly restart: ((ms: number) => Promise<void>) | null;
  /** Restarts that took along what was committed without waiting for the disk; null where none does. */
  readonly forgotten: (() => number) | null;
  readonly drop: () => Promise<void>;
};

/** A directory for an embedded database. */
export async function embeddedDatabase(): Promise<ChaosDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-'));
  return {
    environment: { DATA_DIR: join(folder, 'data') },
    restart: null,
    forgotten: null,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * A database of its own on this server. A restart cuts all of its connections and lets none in for a while: other
 * databases of the server notice nothing.
 */
export async function databaseOn(server: string): Promise<ChaosDatabase> {
  const name = `countersign_chaos_${randomUUID().replaceAll('-', '')}`;
  await tell(server, [`create database ${name}`]);
  const own = new URL(server);
  own.pathname = `/${name}`;
  return {
    environment: { DATABASE_URL: own.href },
    async restart(ms) {
      await tell(server, [
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ]);
      await sleep(ms);
      await tell(server, [`alter database ${name} allow_connections true`]);
    },
    forgotten: null,
    drop: () => tell(server, [`drop database if exists ${name} with (force)`]),
  };
}

async function tell(server: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
