import { sql } from 'kysely';
import type { Backend } from './backend.ts';
import type { Tables } from './tables.ts';

/** Tables whose rows are removed or replaced; of the others rows are only ever added. */
const CHANGING = [
  'inbox',
  'effects',
  'pulls',
  'runs',
  'proposals',
  'messages',
  'notices',
  'budgets',
  'sweeps',
] as const satisfies readonly (keyof Tables)[];

/**
 * Makes the room of removed and replaced rows free for new ones. A server does that by itself; an embedded database has
 * nobody who would, and grows for ever. One table at a time, so that others take their turn.
 */
export async function vacuum({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<void> {
  if (!embedded) return;
  for (const table of CHANGING) await sql`vacuum ${sql.table(table)}`.execute(db);
}
