import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/tables.ts';

const TABLES = [
  'inbox',
  'pulls',
  'runs',
  'proposals',
  'votes',
  'outcomes',
  'writes',
  'messages',
  'effects',
  'notices',
  'sweeps',
  'budgets',
] as const satisfies readonly (keyof Tables)[];

/** Deletes every row; in a replica's role, because triggers keep everybody else from deleting votes. */
export async function emptyDatabase(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const table of TABLES) await transaction.deleteFrom(table).execute();
  });
}
