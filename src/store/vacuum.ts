import { type Kysely, type RawBuilder, sql } from 'kysely';
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

/** Changes of a table after which it is looked after: so many, and one for each so many of its rows. */
const CHANGES = 1_000;
const ROWS_PER_CHANGE = 25;

/**
 * Makes the room of removed and replaced rows free for new ones. A server does that by itself; an embedded database has
 * nobody who would, and grows for ever. One table at a time, so that others take their turn.
 */
export async function vacuum({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<void> {
  if (!embedded) return;
  for (const table of CHANGING) await vacuumOf(table).execute(db);
}

/**
 * The same for each table that has changed much since. An index on what is undone has an entry of all that was done until it is
 * vacuumed, and every look for work passes over these; and a statement is planned for the table as it was when it was analyzed
 * last, however much that has grown. A vacuum reads all indexes of a table: a large one waits for more changes.
 */
export async function vacuumChanged(db: Kysely<Tables>): Promise<void> {
  // What this session counted is seen once it has told it.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_stat_user_tables
    where n_mod_since_analyze >= ${CHANGES}::bigint + n_live_tup / ${ROWS_PER_CHANGE}::bigint
  `.execute(db);
  for (const { relname } of rows) await vacuumOf(relname).execute(db);
}

/** The indexes too, however small a part of the table has changed: it is what changed last that every look passes over. */
function vacuumOf(table: string): RawBuilder<unknown> {
  return sql`vacuum (analyze, index_cleanup on) ${sql.table(table)}`;
}
