import { Kysely, PostgresDialect, sql } from 'kysely';
import { type ClientBase, type ClientConfig, Pool, types } from 'pg';
import { type Backend, createLeaseHolderId, LEASE_HOLDER_LOCKS } from './backend.ts';
import { CREATE_DATABASE, DatabaseError } from './errors.ts';
import { openNotificationConnection } from './notification-connection.ts';
import { explainPostgres } from './opening-errors.ts';
import type { DatabaseSchema } from './schema.ts';
import { applySettings, WORK_SETTINGS } from './session-settings.ts';

const MAX_POOL_CONNECTIONS = 10;

/**
 * A query that the server never answers fails after this time, so that a silently vanished server blocks no connection
 * for longer. It is more than the server's own `statement_timeout`.
 */
const QUERY_TIMEOUT_MS = 70_000;

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
    throw explainPostgres(error);
  });
  const onConnect = (client: ClientBase): Promise<void> => applySettings(client, settings);
  const isReading = settings !== WORK_SETTINGS;
  const timeout = isReading ? {} : { query_timeout: QUERY_TIMEOUT_MS };
  const pool = new Pool({ ...config, ...timeout, max: MAX_POOL_CONNECTIONS, onConnect });
  // Broken connections are replaced by the next query, but an unhandled error event would end the process. The pool's
  // own listener covers idle connections only, not those inside a transaction.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
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

/** The oldest PostgreSQL that is still maintained. */
const MIN_VERSION = 13;

/**
 * Requires a server that can serve: new enough, with every character, and with sessions of our own. Throws
 * `DatabaseError` otherwise.
 */
export async function requireServer({ db, leaseHolderId }: Pick<Backend, 'db' | 'leaseHolderId'>): Promise<void> {
  const { rows } = await sql<{ number: number; version: string; encoding: string; isShared: boolean }>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding, exists (
        select from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid()
          and classid::bigint = ${LEASE_HOLDER_LOCKS}::bigint and objid::bigint = ${leaseHolderId}::bigint
      ) as "isShared"
  `.execute(db);
  const [server] = rows;
  if (server === undefined) return;
  if (server.number < MIN_VERSION * 10_000)
    throw new DatabaseError(
      `The server of DATABASE_URL is PostgreSQL ${server.version}, and Countersign needs ${MIN_VERSION} or newer: upgrade it, or use another one.`,
    );
  if (server.encoding !== 'UTF8')
    throw new DatabaseError(
      `The database has the encoding ${server.encoding}, in which most characters of comments and code cannot be stored. ` +
        `As an administrator run "${CREATE_DATABASE}", and name that database in DATABASE_URL.`,
    );
  if (server.isShared)
    throw new DatabaseError(
      'DATABASE_URL leads to a pooler that shares its connections between transactions. ' +
        'Connect to PostgreSQL directly, or through a pooler in session mode; see docs/operations.md.',
    );
}
