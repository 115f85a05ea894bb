import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';
import { CREATE_DATABASE, DatabaseError } from './errors.ts';
import type { Backend, DatabaseSchema } from './schema.ts';

const MAX_POOL_CONNECTIONS = 10;

/**
 * A query that the server never answers fails after this time, so that a silently vanished server blocks no connection
 * for longer. It is more than the server's own `statement_timeout`.
 */
const QUERY_TIMEOUT_MS = 70_000;

/**
 * Settings of a session. The locks of the store only help if each statement sees what others committed before it: in a
 * stricter isolation a commit would overlook a denial that was stored while it waited for the lock.
 */
const WORK_SETTINGS = {
  default_transaction_isolation: 'read committed',
  statement_timeout: '60s',
  lock_timeout: '0',
} as const;

/** `work` has time limits; `reading` a whole ledger takes as long as it is large. */
export type DatabaseUse = 'work' | 'reading';

/** Opens a PostgreSQL database, which several processes can share. */
export function openPostgres(databaseUrl: string, use: DatabaseUse = 'work'): Backend {
  const config: ClientConfig = {
    connectionString: withClearSslMode(databaseUrl),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // By default the system waits two hours before it probes a silent connection.
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'countersign',
    types: { getTypeParser },
    ...(use === 'work' ? { query_timeout: QUERY_TIMEOUT_MS } : {}),
  };
  const settings = use === 'work' ? WORK_SETTINGS : { ...WORK_SETTINGS, statement_timeout: '0' };
  const pool = new Pool({
    ...config,
    max: MAX_POOL_CONNECTIONS,
    // Replaces what the server or the role have set. A statement, because poolers refuse settings at the start.
    async onConnect(client) {
      await client.query('select set_config(key, value, false) from json_each_text($1)', [JSON.stringify(settings)]);
    },
  });
  // Broken connections are replaced by the next query, but an unhandled error event would end the process. The pool's
  // own listener covers idle connections only, not those inside a transaction.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) });
  return { db, embedded: false, close: () => db.destroy() };
}

/** The store has about fifty statements, plus one for each length of a list. Later ones are planned at each use. */
const MAX_STATEMENTS = 200;

/** The pool, whose connections plan each statement once: planning costs more than most of the statements themselves. */
function withPreparedStatements(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): { readonly name?: string } => {
    if (names.size < MAX_STATEMENTS && !names.has(text)) names.set(text, `countersign_${names.size}`);
    const name = names.get(text);
    return name === undefined ? {} : { name };
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect();
    return Object.assign(Object.create(client), {
      query: (text: string, values: readonly unknown[]) => client.query({ text, values: [...values], ...nameOf(text) }),
      release: (destroy?: boolean) => client.release(destroy),
    });
  };
  return { connect, end: () => pool.end(), options: pool.options };
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

/** Requires a server that answers, is new enough, and stores every character. Throws `DatabaseError` otherwise. */
export async function requireServer({ db }: Pick<Backend, 'db'>): Promise<void> {
  const { rows } = await sql<{ number: number; version: string; encoding: string }>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding
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
}
