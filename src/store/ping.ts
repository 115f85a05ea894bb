import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Throws where the database does not answer. */
export async function ping(db: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(db);
}
