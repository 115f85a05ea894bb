import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { type ClientBase, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { type Backend, createLeaseHolderId } from './backend.ts';
import { openNotificationConnection } from './notification-connection.ts';
import { unreachableError } from './opening-errors.ts';
import type { DatabaseSchema } from './schema.ts';
import { applySettings, WORK_SETTINGS } from './session-settings.ts';

const MAX_POOL_CONNECTIONS = 10;

/** After the notification connection breaks, a connection without traffic for this long is closed. */
const SILENCE_TIMEOUT_MS = 3_000;

/**
 * Opens a PostgreSQL database, which several processes can share. Throws `DatabaseError` if it is unreachable.
 */
export async function openPostgres(databaseUrl: string, settings = WORK_SETTINGS): Promise<Backend> {
  const config: ClientConfig = {
    connectionString: withClearSslMode(databaseUrl),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // By default the system waits two hours before it probes a silent connection.
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'countersign',
    types: { getTypeParser },
  };
  const leaseHolderId = createLeaseHolderId();
  const notifications = await openNotificationConnection(config, leaseHolderId).catch((error: unknown) => {
    throw unreachableError(error);
  });
  const sockets = createSocketFactory(notifications.onDisconnect);
  const onConnect = (client: ClientBase): Promise<void> => applySettings(client, settings);
  const pool = new Pool({ ...config, max: MAX_POOL_CONNECTIONS, stream: sockets, onConnect });
  // Broken connections are replaced by the next query, but an unhandled error event would end the process. The pool's
  // own listener covers idle connections only, not those inside a transaction.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) });
  return {
    db,
    embedded: false,
    leaseHolderId,
    notifyOthers: notifications.notify,
    onNotified: notifications.onNotified,
    onDisconnect: notifications.onDisconnect,
    connectionEpoch: notifications.connectionEpoch,
    async close() {
      await notifications.close();
      await db.destroy();
    },
  };
}

/**
 * Sockets that are closed soon after the server vanished silently. Otherwise TCP would retransmit for a quarter of an
 * hour and block a connection of the pool. An idle one that is closed by mistake is soon replaced.
 */
function createSocketFactory(onDisconnect: (listener: () => void) => void): () => Socket {
  const open = new Set<Socket>();
  onDisconnect(() => {
    const bytesRead = [...open].map((socket) => [socket, socket.bytesRead] as const);
    const closeSilent = (): void => {
      for (const [socket, bytes] of bytesRead) if (socket.bytesRead === bytes) socket.destroy();
    };
    setTimeout(closeSilent, SILENCE_TIMEOUT_MS).unref();
  });
  return () => {
    const socket = new Socket();
    open.add(socket);
    return socket.once('close', () => open.delete(socket));
  };
}

/** Our `bigint` values are ids, counters and ms, far below 2^53. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') =>
  type === types.builtins.INT8 ? Number : types.getTypeParser(type, format);

/**
 * The driver reads these modes as `verify-full`, and prints a warning of several lines about it. The configuration has
 * its own warning. With `uselibpqcompat` they mean what they mean elsewhere.
 */
function withClearSslMode(databaseUrl: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(databaseUrl)) return databaseUrl;
  return databaseUrl.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** The store has about fifty statements, plus one for each length of a list. */
const MAX_PREPARED_STATEMENTS = 200;

/** Longer statements are lists of many rows, which rarely repeat. */
const MAX_STATEMENT_LENGTH = 8_000;

/** Parses each statement once for each connection: that is most of the server's cost of a small one. */
function withPreparedStatements(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  const clients = new WeakMap<PoolClient, PoolClient>();

  /** Undefined for a statement that is not worth preparing. */
  function nameOf(text: string): string | undefined {
    const cached = names.get(text);
    if (cached !== undefined || text.length > MAX_STATEMENT_LENGTH || names.size >= MAX_PREPARED_STATEMENTS)
      return cached;
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
    return name;
  }

  const wrapped = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, key) {
        if (key !== 'query') return Reflect.get(target, key);
        return (text: string, values: readonly unknown[]) =>
          target.query({ text, values: [...values], name: nameOf(text) });
      },
    });

  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const cached = clients.get(client) ?? wrapped(client);
      clients.set(client, cached);
      return cached;
    },
    end: () => pool.end(),
  };
}
