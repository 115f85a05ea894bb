import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Random } from '../simulation/world/random.ts';
import { createPostgresServer, type PostgresPrograms } from './postgres-server.ts';

/** The database of all processes of a run. */
export type ChaosDatabase = {
  /** The environment variables that select it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes it unavailable for some time (ms); null if it is embedded in the App's process. */
  readonly restart: ((ms: number) => Promise<void>) | null;
  /** True if `restart` kills the server. */
  readonly crashesOnRestart: boolean;
  readonly drop: () => Promise<void>;
};

/** An embedded database in a new temporary directory. */
export async function createEmbeddedDatabase(): Promise<ChaosDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-'));
  return {
    environment: { DATA_DIR: join(folder, 'data') },
    restart: null,
    crashesOnRestart: false,
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
    crashesOnRestart: false,
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

/** All processes at once, all after a freeze, or one process, after which the server restarts itself. */
const CRASH_KINDS = ['at once', 'frozen', 'one process'] as const;

const FREEZE_MS = [50, 1_500] as const;

/** Time until the server notices that one of its processes died. */
const CRASH_DETECTION_MS = 100;

/** A database on a new PostgreSQL server, which each restart kills. Throws if the server cannot be created. */
export async function createKilledServerDatabase(programs: PostgresPrograms, random: Random): Promise<ChaosDatabase> {
  const server = await createPostgresServer(programs);
  try {
    await server.start();
    const { environment } = await createDatabaseOn(server.url);
    return {
      environment,
      crashesOnRestart: true,
      async restart(ms) {
        const crash = random.pick(CRASH_KINDS);
        if (crash === 'one process') {
          server.crashOneProcess(random.pick);
          await sleep(CRASH_DETECTION_MS);
          await server.waitUntilReady();
        } else {
          await server.crash(crash === 'frozen' ? random.between(...FREEZE_MS) : 0);
          await sleep(ms);
          await server.start();
        }
      },
      drop: () => server.remove(),
    };
  } catch (error) {
    await server.remove();
    throw error;
  }
}
