import { type Kysely, sql } from 'kysely';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { type Backend, LEASE_HOLDER_LOCKS } from '../../../src/adapters/store/engine/backend.ts';
import type { DatabaseSchema } from '../../../src/adapters/store/engine/schema.ts';
import { findCommittedChanges } from '../../../src/adapters/store/ledger.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { LedgerEvidence } from '../../../src/cli/export/check-against-ledger.ts';
import { createMemoryStore } from '../memory-store/memory-store.ts';
import {
  createMemoryTables,
  type MemoryConnection,
  type MemoryPullRow,
  type MemoryTables,
  notifyListeners,
  type StoreInvariants,
} from '../memory-store/tables.ts';

/** Where the processes of a case keep everything: each opens it for itself. */
export type CaseDatabase = {
  readonly open: () => Promise<{
    readonly store: Store /** The process is gone: what it had leased is free. */;
    readonly onProcessDeath: () => Promise<void>;
    /** The process's connection breaks; a real database has no such thing here. */
    readonly cut?: () => Cut;
  }>;
  /** What is in there in the end. */
  readonly readFinalState: () => Promise<FinalState>;
};

/** A connection that broke: the server lets go of its lock, and it is opened anew. */
export type Cut = { readonly lose: () => void; readonly reconnect: () => void };

/** What a case leaves behind. */
export type FinalState = {
  /** Signals and effects that are still to be done. */
  readonly pendingCount: number;
  /** Signals that were given up, and why. */
  readonly deadLetters: readonly { readonly pullKey: string; readonly error: string }[];
  /** Rows that hold what somebody said, wrote or proposed, beside the ledger's own, and in it. */
  readonly textRowCount: number;
  /** What the ledger has of each commit. */
  readonly ledger: ReadonlyMap<string, readonly LedgerEvidence[]>;
};

/** A new one in memory. */
export function createMemoryDatabase(laws?: StoreInvariants): CaseDatabase {
  const tables: MemoryTables = createMemoryTables(laws);
  let holders = 0;
  return {
    async open() {
      holders += 1;
      const holder = holders;
      const connection: MemoryConnection = { epoch: {} };
      return {
        store: createMemoryStore(tables, holder, connection),
        onProcessDeath: async () => void tables.holders.delete(holder),
        cut() {
          connection.epoch = null;
          const lose = (): void => {
            tables.holders.delete(holder);
            notifyListeners(tables);
          };
          const reconnect = (): void => {
            tables.holders.add(holder);
            connection.epoch = {};
            notifyListeners(tables);
          };
          return { lose, reconnect };
        },
      };
    },
    async readFinalState() {
      const rows = [...tables.pulls.values(), ...tables.removedPulls];
      const pendingCount = rows.reduce((sum, row) => sum + row.pendingSignals.length + row.pendingEffects.length, 0);
      const deadLetters = rows.flatMap(({ key, inbox }) =>
        inbox.flatMap(({ deadLettered: aside, error }) => (aside ? [{ pullKey: key, error: error ?? '' }] : [])),
      );
      const kept = tables.runs.size + tables.messages.size;
      const textRowCount = rows.reduce((sum, row) => sum + countTextRows(row), kept);
      return { pendingCount, deadLetters, textRowCount, ledger: ledgerByCommit(rows) };
    },
  };
}

function countTextRows({ inbox, proposals, votes, outcomes }: MemoryPullRow): number {
  const signals = inbox.filter(({ signal }) => signal !== null).length;
  const said = votes.filter(({ text }) => text !== null).length;
  const noted = [...outcomes.values()].filter(({ note }) => note !== null).length;
  return signals + proposals.size + said + noted;
}

function ledgerByCommit(rows: readonly MemoryPullRow[]): FinalState['ledger'] {
  const writes = rows.flatMap((row) =>
    row.committedChanges.map(({ proposalId, commitSha, shownDigest, committed, approvers }) => {
      const votes = row.votes.filter(
        (vote) => vote.proposalId === proposalId && vote.digest === shownDigest && vote.action !== 'deny',
      );
      return {
        commit: commitSha,
        proposalId,
        digest: committed.digest,
        approvers,
        voters: votes.map(({ by }) => by.id),
      };
    }),
  );
  return Map.groupBy(writes, ({ commit }) => commit);
}

/**
 * A real database, emptied for a case. The processes of the case share its one connection; each holds an advisory lock
 * of its own there for its life, as it would on a connection of its own.
 */
export async function createBackendDatabase(backend: Backend): Promise<CaseDatabase> {
  const { db } = backend;
  await deleteAllRows(db);
  await sql`select pg_advisory_unlock_all()`.execute(db);
  const listeners = new Set<() => void>();
  let holders = 0;
  return {
    async open() {
      holders += 1;
      const leaseHolderId = holders;
      await sql`select pg_advisory_lock(${sql.lit(LEASE_HOLDER_LOCKS)}, ${sql.lit(leaseHolderId)})`.execute(db);
      const store = createStore({
        ...{ db, leaseHolderId, embedded: false, connectionEpoch: () => db },
        notifyOthers: () => {
          for (const listener of listeners) listener();
        },
        onNotified: (listener) => void listeners.add(listener),
        onDisconnect: () => {},
        close: async () => {},
      });
      return {
        store,
        onProcessDeath: async () => {
          await sql`select pg_advisory_unlock(${sql.lit(LEASE_HOLDER_LOCKS)}, ${sql.lit(leaseHolderId)})`.execute(db);
        },
      };
    },
    async readFinalState() {
      const { rows } = await sql<{ waiting: string }>`
        select (select count(*) from inbox where done_at is null) + (select count(*) from effects where done_at is null)
          as waiting`.execute(db);
      const { rows: counted } = await sql<{ words: string }>`
        select (select count(*) from inbox where signal is not null) + (select count(*) from runs)
          + (select count(distinct run_id) from messages) + (select count(*) from proposals)
          + (select count(*) from votes where text is not null) + (select count(*) from proposal_outcomes where note is not null)
          as words`.execute(db);
      const parked = await db
        .selectFrom('inbox')
        .select(['pull_key', 'error'])
        .where('dead_lettered', '=', true)
        .execute();
      const written = await db.selectFrom('committed_changes').select('commit_sha').distinct().execute();
      const ledger = await Promise.all(
        written.map(async ({ commit_sha: commit }) => [commit, await findCommittedChanges(db, commit)] as const),
      );
      return {
        pendingCount: Number(rows[0]?.waiting ?? 0),
        deadLetters: parked.map(({ pull_key: pullKey, error }) => ({ pullKey, error: error ?? '' })),
        textRowCount: Number(counted[0]?.words ?? 0),
        ledger: new Map(ledger),
      };
    },
  };
}

const TABLE_NAMES = [
  'inbox',
  'pulls',
  'runs',
  'proposals',
  'votes',
  'proposal_outcomes',
  'committed_changes',
  'messages',
  'effects',
  'installation_events',
  'recovery_state',
  'rate_limits',
] as const satisfies readonly (keyof DatabaseSchema)[];

/** Deletes every row; in a replica's role, because triggers keep everybody else from deleting votes. */
export async function deleteAllRows(db: Kysely<DatabaseSchema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const table of TABLE_NAMES) await transaction.deleteFrom(table).execute();
  });
}
