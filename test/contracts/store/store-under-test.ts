import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import {
  createMemoryTables,
  type MemoryPullRow,
  type MemoryTables,
} from '../../../lab/simulation/memory-store/tables.ts';
import { deleteAllRows } from '../../../lab/simulation/world/database.ts';
import { migrate } from '../../../src/adapters/store/engine/migrate.ts';
import type { Backend } from '../../../src/adapters/store/engine/schema.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import type { Claim, Store, StoredEffect, StoredSignal } from '../../../src/adapters/store/store.ts';
import { delivery } from './samples.ts';
import type { TestDatabase } from './test-database.ts';

/** A store that is empty before each test, with helpers for the contracts. */
export type StoreHarness = {
  readonly store: () => Store;
  /** Rows of a table, oldest first, with columns in camel case. */
  readonly rows: (table: TableName) => Promise<readonly Row[]>;
  /** Receives a delivery about the pull request and claims it. */
  readonly receiveAndClaim: (id: string, number?: number, now?: number) => Promise<Claim>;
  /** Receives a delivery, claims its pull request, and reads the first signal. */
  readonly claimSignal: (id: string, number?: number) => Promise<{ claim: Claim; signal: StoredSignal }>;
};

/** A harness on a SQL database. */
export type DatabaseHarness = StoreHarness & {
  readonly backend: () => Backend;
  /** Creates all tables again, after a test changed the schema. */
  readonly rebuild: () => Promise<void>;
  /** The first value of the first row. */
  readonly value: (query: string) => Promise<unknown>;
};

type Row = Readonly<Record<string, unknown>>;

export type TableName =
  | 'inbox'
  | 'pulls'
  | 'runs'
  | 'proposals'
  | 'votes'
  | 'proposal_outcomes'
  | 'committed_changes'
  | 'effects';

async function rebuild({ db }: Backend): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  await migrate(db);
}

/** For asynchronous notifications: the machine might be busy. */
export const PATIENCE = { timeout: 25_000 } as const;

export const LEASE = 1_000;

export function databaseHarness(database: TestDatabase): DatabaseHarness {
  let backend: Backend;
  let store: Store;
  beforeAll(async () => {
    backend = await database.open();
  });
  beforeEach(async () => {
    await deleteAllRows(backend.db);
    store = createStore(backend);
  });
  afterAll(async () => {
    await backend?.close();
    await database.drop();
  });
  return {
    ...claimHelpers(() => store),
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

/** The store of the simulation. */
export function memoryHarness(): StoreHarness {
  let tables: MemoryTables;
  let store: Store;
  beforeEach(() => {
    tables = createMemoryTables();
    store = createMemoryStore(tables);
  });
  return {
    ...claimHelpers(() => store),
    rows: async (table) => [...tables.pulls.values()].flatMap((row) => rowsOf(tables, row)[table]),
  };
}

function rowsOf({ runs }: MemoryTables, row: MemoryPullRow): Readonly<Record<TableName, readonly Row[]>> {
  const { key: pullKey, inbox, effects, proposals, outcomes, votes, committedChanges, fencingToken, leaseUntil } = row;
  return {
    pulls: [{ pullKey, fence: fencingToken, leaseUntil }],
    inbox: inbox.map((signal) => ({ pullKey, ...signal })),
    runs: [...runs.values()].filter((run) => run.pullKey === pullKey),
    proposals: [...proposals].map(([proposalId, { updatedAt }]) => ({ proposalId, updatedAt })),
    votes,
    committed_changes: committedChanges.map(({ commitSha, ...write }) => ({ ...write, commitSha })),
    proposal_outcomes: [...outcomes.values()],
    effects: effects.map((effect) => ({
      pullKey,
      ...effect,
      dedupeKey: effect.dedupeKey,
      notBefore: effect.dueAt,
      onceKey: 'onceKey' in effect.effect ? effect.effect.onceKey : null,
    })),
  };
}

function claimHelpers(store: () => Store): Pick<StoreHarness, 'store' | 'receiveAndClaim' | 'claimSignal'> {
  async function receiveAndClaim(id: string, number = 1, now = 10): Promise<Claim> {
    await store().receive(delivery(id, number), now);
    return present(await store().claimPull(now, LEASE));
  }
  return {
    store,
    receiveAndClaim,
    async claimSignal(id, number = 1) {
      const claim = await receiveAndClaim(id, number);
      return { claim, signal: present(await nextSignal(store(), claim, 10)) };
    },
  };
}

/** The next signal; throws if an effect is next. Null releases the claim. */
export async function nextSignal(store: Store, claim: Claim, now: number): Promise<StoredSignal | null> {
  const work = await store.nextWork(claim, now);
  if (work?.kind === 'effect') throw new Error('An effect is next');
  return work?.signal ?? null;
}

/** The next effect; throws if a signal is next. Null releases the claim. */
export async function nextEffect(store: Store, claim: Claim, now: number): Promise<StoredEffect | null> {
  const work = await store.nextWork(claim, now);
  if (work?.kind === 'signal') throw new Error('A signal is next');
  return work?.effect ?? null;
}

/** The value; throws if there is none. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value');
  return value;
}
