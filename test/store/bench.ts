import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { emptyDatabase } from '../../src/simulation/empty-database.ts';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables, type PullRow, type Tables } from '../../src/simulation/store/tables.ts';
import type { Backend } from '../../src/store/backend.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { Claim, Claimed, Store, StoredEffect, StoredSignal } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { delivery } from './samples.ts';
import type { TestDatabase } from './test-database.ts';

/** A store that is empty before each test, and what tests do with it again and again. */
export type Bench = {
  readonly store: () => Store;
  /** The same data as a process sees it that does not live any more. */
  readonly gone: () => Store;
  /** What is in a table, oldest first; columns in camel case. */
  readonly rows: (table: TableName) => Promise<readonly Row[]>;
  /** Receives a delivery about the pull request and claims it. */
  readonly claimed: (id: string, number?: number, now?: number) => Promise<Claimed>;
  /** The same, with its signal. */
  readonly signalled: (id: string, number?: number) => Promise<{ claim: Claim; signal: StoredSignal }>;
};

/** A bench whose store is a database that understands SQL. */
export type DatabaseBench = Bench & {
  readonly backend: () => Backend;
  /** Makes all tables anew, after a test that changed their form. */
  readonly rebuild: () => Promise<void>;
  /** The only value of the only row. */
  readonly value: (query: string) => Promise<unknown>;
};

export type Row = Readonly<Record<string, unknown>>;
export type TableName = 'inbox' | 'pulls' | 'runs' | 'proposals' | 'votes' | 'outcomes' | 'writes' | 'effects';

async function rebuild({ db }: Backend): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  await migrate(db);
}

/** How long something that comes without being asked for is waited for: the machine may be busy. */
export const PATIENCE = { timeout: 25_000 } as const;

export const LEASE = 1_000;

/** On a database. */
export function bench(database: TestDatabase): DatabaseBench {
  let backend: Backend;
  let store: Store;
  beforeAll(async () => {
    backend = await database.open();
  });
  beforeEach(async () => {
    await emptyDatabase(backend.db);
    store = storeOn(backend);
  });
  afterAll(async () => {
    await backend?.close();
    await database.drop();
  });
  return {
    ...claiming(() => store),
    gone: () => storeOn({ ...backend, holder: backend.holder === 1 ? 2 : 1 }),
    async rows(table) {
      const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ctid`.execute(backend.db);
      return rows.map(camelCased);
    },
    backend: () => backend,
    rebuild: () => rebuild(backend),
    async value(query) {
      const { rows } = await sql.raw(query).execute(backend.db);
      return Object.values(Object(rows[0]))[0];
    },
  };
}

function camelCased(row: Row): Row {
  const camel = (name: string): string => name.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]));
}

/** In memory, as the simulation has it. */
export function memoryBench(): Bench {
  let tables: Tables;
  let store: Store;
  beforeEach(() => {
    tables = emptyTables();
    store = memoryStore(tables, 1);
  });
  return {
    ...claiming(() => store),
    gone() {
      const gone = memoryStore(tables, 2);
      tables.holders.delete(2);
      return gone;
    },
    rows: async (table) => [...tables.pulls.values()].flatMap((row) => rowsOf(tables, row)[table]),
  };
}

function rowsOf({ runs }: Tables, row: PullRow): Readonly<Record<TableName, readonly Row[]>> {
  const { key: pullKey, inbox, effects, proposals, outcomes, votes, writes, fence, lease } = row;
  return {
    pulls: [{ pullKey, fence, lease }],
    inbox: inbox.map((signal) => ({ pullKey, ...signal })),
    runs: [...runs.values()].filter((run) => run.pullKey === pullKey),
    proposals: [...proposals].map(([proposalId, { updatedAt }]) => ({ proposalId, updatedAt })),
    votes,
    writes: writes.map(({ commit, ...write }) => ({ ...write, commitSha: commit })),
    outcomes: [...outcomes.values()],
    effects: effects.map((effect) => ({
      pullKey,
      ...effect,
      onceKey: 'once' in effect.effect ? effect.effect.once : null,
    })),
  };
}

function claiming(store: () => Store): Pick<Bench, 'store' | 'claimed' | 'signalled'> {
  async function claimed(id: string, number = 1, now = 10): Promise<Claimed> {
    await store().receive([delivery(id, number)], now);
    return present(await store().claimPull('w', now, LEASE));
  }
  return {
    store,
    claimed,
    async signalled(id, number = 1) {
      const claim = await claimed(id, number);
      return { claim, signal: present(claim.first) };
    },
  };
}

/** The signal that is next; null where none is, and an effect is not begun for it either: the claim is given back then. */
export async function nextSignal(store: Store, claim: Claim, now: number): Promise<StoredSignal | null> {
  const work = await store.nextWork(claim, now);
  if (work?.kind === 'effect') throw new Error('An effect is next');
  return work?.signal ?? null;
}

/** The effect that is next; null where none is: the claim is given back then. */
export async function nextEffect(store: Store, claim: Claim, now: number): Promise<StoredEffect | null> {
  const work = await store.nextWork(claim, now);
  if (work?.kind === 'signal') throw new Error('A signal is next');
  return work?.effect ?? null;
}

/** The value, where the test is wrong if there is none. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value');
  return value;
}
