import { Socket } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';
import { type Backend, newHolder } from './backend.ts';
import { preparing } from './preparing-pool.ts';
import { StoreUnusable } from './store-unusable.ts';
import type { Tables } from './tables.ts';
import { openWatch } from './watch.ts';

const CONNECTIONS = 10;
/** Once the watch's connection is cut, one that says nothing for so long is given up (ms). */
const SILENT_MS = 3_000;

/** Opens a PostgreSQL database that any number of processes may share. Throws `StoreUnusable` where none answers. */
export async function openPostgres(databaseUrl: string): Promise<Backend> {
  const config: ClientConfig = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Else the system waits two hours before it asks whether a silent server, or what stands between, is still there.
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'countersign',
    types: { getTypeParser },
  };
  const holder = newHolder();
  const watch = await openWatch(config, holder).catch((error: unknown) => {
    throw new StoreUnusable(unreachable(error), { cause: error });
  });
  const sockets = breakable(watch.onCut);
  const pool = new Pool({ ...config, max: CONNECTIONS, statement_timeout: 60_000, stream: sockets });
  // A connection that breaks is replaced by the next query; without listeners it would end the process: the pool's own
  // hears of idle ones only, not of one that a transaction holds between two of its statements.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
  return {
    db,
    embedded: false,
    holder,
    tellOthers: watch.tell,
    onTold: watch.onTold,
    onCut: watch.onCut,
    tenure: watch.tenure,
    async close() {
      await watch.close();
      await db.destroy();
    },
  };
}

/**
 * Makes sockets that are not waited for where the server is gone without a word: what is on its way then would be sent
 * again for a quarter of an hour, and nobody else would get one of the connections. One that is only idle is soon replaced.
 */
function breakable(onCut: (listener: () => void) => void): () => Socket {
  const open = new Set<Socket>();
  onCut(() => {
    const read = [...open].map((socket) => [socket, socket.bytesRead] as const);
    const giveUp = (): void => {
      for (const [socket, bytes] of read) if (socket.bytesRead === bytes) socket.destroy();
    };
    setTimeout(giveUp, SILENT_MS).unref();
  });
  return () => {
    const socket = new Socket();
    open.add(socket);
    return socket.once('close', () => open.delete(socket));
  };
}

/** `bigint` as a number: ours are ids, counters and ms, far below 2^53. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') =>
  type === types.builtins.INT8 ? Number : types.getTypeParser(type, format);

/** Without the address, which may hold a password. */
function unreachable(error: unknown): string {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return `The database that DATABASE_URL names cannot be reached (${reason}). Check its address and credentials, and that it is running.`;
}
