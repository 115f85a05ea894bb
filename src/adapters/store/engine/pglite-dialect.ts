import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { storedAs } from '../../../lib/trust.ts';

/** Kysely on an open PGlite, which the caller closes. `onUse` is called after each use. */
export function pgliteDialect(pglite: PGlite, onUse: () => void = () => {}): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PgliteDriver(pglite, onUse),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** One session for all users, who get it one at a time in the order of their requests. */
class PgliteDriver implements Driver {
  readonly #connection: PgliteConnection;
  readonly #onUse: () => void;
  /** Resolves once the last user in the queue has released the session. */
  #released: Promise<void> = Promise.resolve();
  #release = (): void => {};

  constructor(pglite: PGlite, onUse: () => void) {
    this.#connection = new PgliteConnection(pglite);
    this.#onUse = onUse;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PgliteConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#released;
    this.#released = promise;
    await before;
    this.#release = resolve;
    return this.#connection;
  }

  async beginTransaction(connection: PgliteConnection): Promise<void> {
    await connection.runCommand('begin');
  }

  /** After a failed statement PostgreSQL answers a commit with a rollback, and nothing is stored. */
  async commitTransaction(connection: PgliteConnection): Promise<void> {
    const tag = await connection.runCommand('commit');
    if (tag !== 'COMMIT') throw new Error('The transaction was rolled back, because one of its statements failed.');
  }

  async rollbackTransaction(connection: PgliteConnection): Promise<void> {
    await connection.runCommand('rollback');
  }

  async releaseConnection(): Promise<void> {
    this.#onUse();
    this.#release();
  }

  async destroy(): Promise<void> {}
}

class PgliteConnection implements DatabaseConnection {
  readonly #statements: PreparedStatements;

  constructor(pglite: PGlite) {
    this.#statements = PreparedStatements.of(pglite);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, affectedRows } = await this.#statements.run(sql, parameters);
    return { rows: storedAs<Row[]>(rows), ...(affectedRows === null ? {} : { numAffectedRows: BigInt(affectedRows) }) };
  }

  /** Runs a statement without values, and returns the command tag. */
  async runCommand(statement: string): Promise<string> {
    return (await this.#statements.run(statement, [])).commandTag;
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('PGlite cannot stream results.');
  }
}

type StatementResult = {
  readonly rows: readonly object[];
  readonly affectedRows: number | null;
  readonly commandTag: string;
};

const { serialize } = protocol;

/** The store has about fifty statements, plus one for each length of a list. */
const MAX_PREPARED_STATEMENTS = 200;

/**
 * Runs statements on a PGlite and keeps them prepared. PGlite's own `query` parses and plans every time, with extra
 * round trips; that is most of the cost of a small query. Takes one call at a time; throws the database's error.
 */
class PreparedStatements {
  readonly #pglite: PGlite;
  /** Names by text, least recently used first. */
  readonly #names = new Map<string, string>();
  /** Names of failed statements that might still be prepared. */
  readonly #unclosed: string[] = [];
  #count = 0;

  /** Shared by all users of a PGlite, because statement names belong to its one session. */
  static of(pglite: PGlite): PreparedStatements {
    const statements = sessions.get(pglite) ?? new PreparedStatements(pglite);
    sessions.set(pglite, statements);
    return statements;
  }

  private constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async run(text: string, values: readonly unknown[]): Promise<StatementResult> {
    const cached = this.#names.get(text);
    const name = cached ?? this.#newName();
    const response = await this.#send([
      ...(cached === undefined ? [...this.#closeMessages(), serialize.parse({ name, text })] : []),
      serialize.bind({ statement: name, values: values.map(toText) }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]).catch((error: unknown) => {
      // It is unknown whether the parsing failed or the execution.
      if (cached === undefined) this.#unclosed.push(name);
      throw error;
    });
    this.#names.delete(text);
    this.#names.set(text, name);
    return toStatementResult(response, this.#pglite);
  }

  async #send(messages: readonly Uint8Array[]): Promise<messages.BackendMessage[]> {
    await this.#pglite.waitReady;
    const response = await this.#pglite.runExclusive(() => this.#pglite.execProtocol(concatBytes(messages)));
    return response.messages;
  }

  #newName(): string {
    this.#count += 1;
    return `countersign_${this.#count}`;
  }

  /** Closing an unknown name is not an error. */
  #closeMessages(): readonly Uint8Array[] {
    const [oldest] = this.#names;
    if (oldest !== undefined && this.#names.size >= MAX_PREPARED_STATEMENTS) {
      const [text, name] = oldest;
      this.#names.delete(text);
      this.#unclosed.push(name);
    }
    return this.#unclosed.splice(0).map((name) => serialize.close({ type: 'S', name }));
  }
}

const sessions = new WeakMap<PGlite, PreparedStatements>();

function toStatementResult(response: messages.BackendMessage[], pglite: PGlite): StatementResult {
  const [result] = parse.parseResults(response, pglite.parsers);
  const complete = response.find((message) => message.name === 'commandComplete');
  const commandTag = complete !== undefined && 'text' in complete ? String(complete.text) : '';
  return { rows: result?.rows.map(Object) ?? [], affectedRows: result?.affectedRows ?? null, commandTag };
}

/** PostgreSQL's text format; the database knows the types. */
function toText(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? 't' : 'f';
    default:
      if (value === null || value === undefined) return null;
      throw new TypeError(`Cannot store a value of type ${typeof value} in a column`);
  }
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
