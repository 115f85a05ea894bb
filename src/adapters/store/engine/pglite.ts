import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, parse, protocol } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, type PGliteDialectConfig, sql } from 'kysely';
import { storedAs } from '../../../lib/trust.ts';
import {
  INITDB_OPTIONS,
  lockDirectory,
  makePrivateDirectory,
  readPreparedDatabase,
  unpackPreparedDatabase,
} from './data-directory.ts';
import { DatabaseError, explainDataDir, reasonOf } from './errors.ts';
import type { Backend, DatabaseSchema } from './schema.ts';

/** Every PGlite has these options. */
export const PGLITE_OPTIONS = {
  // Keyed by type id: 20 is `bigint`, and our values stay far below 2^53.
  parsers: { 20: Number },
  initDbStartParams: INITDB_OPTIONS,
  // By default the buffers take 160 MB of memory at once; the system caches the files anyway.
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
};

/**
 * Opens the embedded database in memory, or in `dataDir`, which it locks for this process. Its files survive a killed
 * process, not a power cut.
 */
export async function openPglite(dataDir: string | null): Promise<Backend> {
  const lock = dataDir === null ? null : lockDirectory(dataDir);
  try {
    const pglite = await startPglite(dataDir);
    return createPgliteBackend(pglite, () => pglite.close().finally(() => lock?.release()));
  } catch (error) {
    lock?.release();
    throw dataDir === null || error instanceof DatabaseError ? error : openingError(dataDir, error);
  }
}

async function startPglite(dataDir: string | null): Promise<PGlite> {
  // V8 optimizes a function of PostgreSQL once it is hot: that takes up to 500 MB, and no step becomes faster by it.
  setFlagsFromString('--wasm-tiering-budget=2000000000');
  if (dataDir === null) {
    const archive = readPreparedDatabase();
    return PGlite.create({ ...PGLITE_OPTIONS, ...(archive === null ? {} : { loadDataDir: new Blob([archive]) }) });
  }
  const directory = join(dataDir, 'database');
  makePrivateDirectory(directory);
  const isNew = readdirSync(directory).length === 0;
  try {
    if (isNew) await unpackPreparedDatabase(directory);
    return await PGlite.create({ ...PGLITE_OPTIONS, dataDir: directory, relaxedDurability: false });
  } catch (error) {
    // Half a database could never be opened. It holds nothing: no delivery is accepted before this function returns.
    if (isNew) rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** A backend on an open PGlite. Closing it calls `close`. */
export function createPgliteBackend(pglite: PGlite, close: () => Promise<void>): Backend {
  return {
    db: new Kysely<DatabaseSchema>({ dialect: new PGliteDialect({ pglite: withPreparedStatements(pglite) }) }),
    embedded: true,
    close,
  };
}

/**
 * Frees the space of deleted rows and of the write-ahead log. PostgreSQL's server has processes for that, and an
 * embedded database does neither by itself.
 */
export async function tidy({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<void> {
  if (!embedded) return;
  await sql`vacuum (analyze)`.execute(db);
  await sql`checkpoint`.execute(db);
}

/** PGlite's PostgreSQL, which reads no files of another one. */
const POSTGRES_VERSION = '18';

function openingError(dataDir: string, error: unknown): DatabaseError {
  const known = explainDataDir(dataDir, error);
  if (known !== null) return known;
  const file = join(dataDir, 'database', 'PG_VERSION');
  const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : POSTGRES_VERSION;
  if (version !== POSTGRES_VERSION)
    return new DatabaseError(
      `The database in ${dataDir} was made with PostgreSQL ${version}, and this version of Countersign has PostgreSQL ${POSTGRES_VERSION}. ` +
        'Nothing was changed: run the version of Countersign again that made it.',
      { cause: error },
    );
  return new DatabaseError(
    `The database in ${dataDir} cannot be opened (${reasonOf(error)}). ` +
      'Restore a backup in its place: move the damaged directory aside, and keep it.',
    { cause: error },
  );
}

/** The part of a PGlite that Kysely's dialect uses. */
type DialectPGlite = Exclude<PGliteDialectConfig['pglite'], (...args: never[]) => unknown>;

type RunStatement = (text: string, values?: readonly unknown[]) => ReturnType<DialectPGlite['query']>;

/**
 * PGlite's own `query` parses, describes and plans each time, in five round trips: two thirds of the cost of a small
 * query. Here a statement is planned once, and runs in one round trip.
 */
export function withPreparedStatements(pglite: PGlite): DialectPGlite {
  const run = statementRunners.get(pglite) ?? createStatementRunner(pglite);
  statementRunners.set(pglite, run);
  return {
    close: () => pglite.close(),
    get closed() {
      return pglite.closed;
    },
    get ready() {
      return pglite.ready;
    },
    waitReady: pglite.waitReady,
    // Waits for the transaction of another user of this PGlite, as PGlite's own `query` does.
    query: async (text, values) => storedAs(await pglite._runExclusiveTransaction(() => run(text, values))),
    transaction: (work) =>
      pglite.transaction((transaction) =>
        work({
          query: async (text, values) => storedAs(await run(text, values)),
          rollback: () => transaction.rollback(),
        }),
      ),
  };
}

/** Shared by all users of a PGlite, because the names of statements belong to its one session. */
const statementRunners = new WeakMap<PGlite, RunStatement>();

/** The store has about fifty statements, plus one for each length of a list. */
const MAX_STATEMENTS = 200;

/** Keeps the last new statements prepared, each under a name that the next ones take over in turn. */
function createStatementRunner(pglite: PGlite): RunStatement {
  const { serialize } = protocol;
  const names = new Map<string, string>();
  const texts: string[] = [];
  let next = 0;

  /** Closing an unknown name is no error, and one whose statement failed can exist. */
  function prepare(text: string, name: string): readonly Uint8Array[] {
    names.delete(texts[next] ?? '');
    return [serialize.close({ type: 'S', name }), serialize.parse({ name, text })];
  }

  return async (text, values = []) => {
    const known = names.get(text);
    const name = known ?? `countersign_${next}`;
    const request = Buffer.concat([
      ...(known === undefined ? prepare(text, name) : []),
      serialize.bind({ statement: name, values: values.map(toText) }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]);
    const { messages } = await pglite.runExclusive(() => pglite.execProtocol(request));
    if (known === undefined) {
      names.set(text, name);
      texts[next] = text;
      next = (next + 1) % MAX_STATEMENTS;
    }
    const [result] = parse.parseResults(messages, pglite.parsers);
    return { ...result, rows: result?.rows ?? [], fields: result?.fields ?? [] };
  };
}

/** PostgreSQL's text format; the database knows the types. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new TypeError(`A value of type ${typeof value} cannot be stored in a column`);
}
