import type { PGlite } from '@electric-sql/pglite';
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
import { storedAs } from '../trust.ts';
import { PreparedStatements } from './prepared-statements.ts';

/** Kysely on a PGlite that is open and stays so: whoever opened it closes it. `used` is called after each use. */
export function pgliteDialect(pglite: PGlite, used: () => void = () => {}): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PgliteDriver(pglite, used),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** One session, handed to one user after the other, in the order they asked. */
class PgliteDriver implements Driver {
  readonly #connection: PgliteConnection;
  readonly #used: () => void;
  /** Resolves once the last who asked has given the session back. */
  #free: Promise<void> = Promise.resolve();
  #giveBack = (): void => {};

  constructor(pglite: PGlite, used: () => void) {
    this.#connection = new PgliteConnection(pglite);
    this.#used = used;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PgliteConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#free;
    this.#free = promise;
    await before;
    this.#giveBack = resolve;
    return this.#connection;
  }

  async beginTransaction(connection: PgliteConnection): Promise<void> {
    await connection.say('begin');
  }

  /** Where a statement failed and nobody rolled back, the database answers a commit by rolling back: nothing was stored. */
  async commitTransaction(connection: PgliteConnection): Promise<void> {
    const tag = await connection.say('commit');
    if (tag !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement of it had failed.');
  }

  async rollbackTransaction(connection: PgliteConnection): Promise<void> {
    await connection.say('rollback');
  }

  async releaseConnection(): Promise<void> {
    this.#used();
    this.#giveBack();
  }

  async destroy(): Promise<void> {}
}

class PgliteConnection implements DatabaseConnection {
  readonly #statements: PreparedStatements;

  constructor(pglite: PGlite) {
    this.#statements = PreparedStatements.of(pglite);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changed } = await this.#statements.run(sql, parameters);
    return { rows: storedAs<Row[]>(rows), ...(changed === null ? {} : { numAffectedRows: BigInt(changed) }) };
  }

  /** A statement without values; answers the database's word for what it did. */
  async say(statement: string): Promise<string> {
    return (await this.#statements.run(statement, [])).tag;
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('PGlite gives whole results only.');
  }
}
