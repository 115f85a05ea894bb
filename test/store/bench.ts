import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Backend } from '../../src/store/backend.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { Claim, Store, StoredSignal } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { delivery } from './samples.ts';
import type { TestDatabase } from './test-database.ts';

/** A database that is emptied before each test, and what tests do with it again and again. */
export type Bench = {
  readonly backend: () => Backend;
  readonly store: () => Store;
  /** Makes all tables anew, after a test that changed their form. */
  readonly rebuild: () => Promise<void>;
  /** The only value of the only row. */
  readonly value: (query: string) => Promise<unknown>;
  /** Receives a delivery about the pull request and claims it. */
  readonly claimed: (id: string, number?: number, now?: number) => Promise<Claim>;
  /** The same, with its signal. */
  readonly signalled: (id: string, number?: number) => Promise<{ claim: Claim; signal: StoredSignal }>;
};

const TABLES = ['inbox', 'pulls', 'runs', 'proposals', 'votes', 'outcomes', 'messages', 'effects', 'notices'];

/** Deletes every row; in a replica's role, because triggers keep everybody else from deleting votes. */
async function empty({ db }: Backend): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(transaction);
  });
}

async function rebuild({ db }: Backend): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  await migrate(db);
}

export const LEASE = 1_000;

export function bench(database: TestDatabase): Bench {
  let backend: Backend;
  let store: Store;
  beforeAll(async () => {
    backend = await database.open();
    await migrate(backend.db);
  });
  beforeEach(async () => {
    await empty(backend);
    store = storeOn(backend);
  });
  afterAll(async () => {
    await backend?.close();
    await database.drop();
  });

  async function claimed(id: string, number = 1, now = 10): Promise<Claim> {
    await store.receive([delivery(id, number)], now);
    return present(await store.claimPull('w', now, LEASE));
  }

  return {
    backend: () => backend,
    store: () => store,
    rebuild: () => rebuild(backend),
    async value(query) {
      const { rows } = await sql.raw(query).execute(backend.db);
      return Object.values(Object(rows[0]))[0];
    },
    claimed,
    async signalled(id, number = 1) {
      const claim = await claimed(id, number);
      return { claim, signal: present(await store.nextSignal(claim, 10)) };
    },
  };
}

/** The value, where the test is wrong if there is none. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value');
  return value;
}
