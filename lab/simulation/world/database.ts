import { type Kysely, sql } from 'kysely';
import { tidy } from '../../../src/adapters/store/engine/pglite.ts';
import { type Backend, type DatabaseSchema, fromStored } from '../../../src/adapters/store/engine/schema.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { Person } from '../../../src/core/state/vote.ts';
import { createMemoryStore } from '../memory-store/memory-store.ts';
import { createMemoryTables, type MemoryTables, type StoreInvariants } from '../memory-store/tables.ts';

/** The database of a case. Each process opens a store of its own. */
export type CaseDatabase = {
  readonly open: () => Store;
  readonly readFinalState: () => Promise<FinalState>;
};

/** The content of the database after a case. */
export type FinalState = {
  /** Pending signals and effects. */
  readonly pendingCount: number;
  readonly deadLetters: readonly { readonly pullKey: string; readonly error: string }[];
  /** The changes in each commit. */
  readonly committed: readonly {
    readonly commit: string;
    readonly proposalId: string;
    readonly approvers: readonly Person[];
  }[];
};

/** Creates an empty database in memory. */
export function createMemoryDatabase(invariants?: StoreInvariants): CaseDatabase {
  const tables: MemoryTables = createMemoryTables(invariants);
  return {
    open: () => createMemoryStore(tables),
    async readFinalState() {
      const rows = [...tables.pulls.values()];
      const pendingCount = rows.reduce((sum, row) => sum + row.pendingSignals.length + row.pendingEffects.length, 0);
      const deadLetters = rows.flatMap(({ key, inbox }) =>
        inbox.flatMap(({ deadLettered, error }) => (deadLettered ? [{ pullKey: key, error: error ?? '' }] : [])),
      );
      const committed = rows.flatMap(({ committedChanges }) =>
        committedChanges.map(({ commitSha: commit, proposalId, approvers }) => ({ commit, proposalId, approvers })),
      );
      return { pendingCount, deadLetters, committed };
    },
  };
}

/** Empties a real database for a case. The processes share its one connection. */
export async function createBackendDatabase(backend: Backend): Promise<CaseDatabase> {
  const { db } = backend;
  await deleteAllRows(db);
  // Otherwise the log and the deleted rows of all cases would stay, and after some thousands a case takes twice as long.
  await tidy(backend);
  return {
    open: () => createStore(backend),
    async readFinalState() {
      const { rows: pendingCounts } = await sql<{ pending: string }>`
        select (select count(*) from inbox where done_at is null) + (select count(*) from effects where done_at is null)
          as pending`.execute(db);
      const deadLetters = await db
        .selectFrom('inbox')
        .select(['pull_key', 'error'])
        .where('dead_lettered', '=', true)
        .execute();
      const committed = await db
        .selectFrom('committed_changes')
        .select(['commit_sha as commit', 'proposal_id as proposalId', 'approvers'])
        .execute();
      return {
        pendingCount: Number(pendingCounts[0]?.pending ?? 0),
        deadLetters: deadLetters.map(({ pull_key: pullKey, error }) => ({ pullKey, error: error ?? '' })),
        committed: committed.map((row) => ({ ...row, approvers: fromStored<Person[]>(row.approvers) })),
      };
    },
  };
}

const TABLE_NAMES = [
  'inbox',
  'pulls',
  'runs',
  'run_starts',
  'proposals',
  'votes',
  'proposal_outcomes',
  'committed_changes',
  'messages',
  'effects',
  'installation_events',
  'recovery_state',
] as const satisfies readonly (keyof DatabaseSchema)[];

/** Deletes every row. The replica role bypasses the triggers that protect votes. */
export async function deleteAllRows(db: Kysely<DatabaseSchema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const table of TABLE_NAMES) await transaction.deleteFrom(table).execute();
  });
}
