import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Backend } from './backend.ts';
import type { DatabaseSchema } from './schema.ts';

/** Uses of the database between two checks: a check takes some ms. */
const USES_PER_CHECK = 500;

/** Runs `maintain` on an embedded database while it is used; a server has processes of its own for that. */
export class MaintenanceScheduler {
  readonly #maintain: () => Promise<void>;
  #uses = 0;
  #stopped = false;
  #current: Promise<void> | null = null;

  /** If `maintain` fails, it is tried again after as many uses. */
  constructor(maintain: () => Promise<void>) {
    this.#maintain = maintain;
  }

  /** `maintain` also calls this; its own uses never trigger another run. */
  onUse(): void {
    this.#uses += 1;
    if (this.#uses < USES_PER_CHECK || this.#stopped || this.#current !== null) return;
    this.#current = this.#run();
  }

  /** Starts no further run, and waits for the current one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#current;
  }

  async #run(): Promise<void> {
    await this.#maintain().catch(() => {});
    this.#uses = 0;
    this.#current = null;
  }
}

/** Checkpoints and vacuums an embedded database, each as far as it is due. */
export async function maintain(db: Kysely<DatabaseSchema>): Promise<void> {
  await checkpointLongLog(db);
  await vacuumChanged(db);
}

/**
 * Log since the last checkpoint, which frees the files before it. Nothing else runs during one: 0.1 s for this size.
 */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * PGlite makes no checkpoint before it is closed: its write-ahead log would grow until the disk is full, and a start
 * after a crash would replay all of it.
 */
async function checkpointLongLog(db: Kysely<DatabaseSchema>): Promise<void> {
  const { rows } = await sql<{ isLong: boolean }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > ${MAX_LOG_BYTES}::bigint as "isLong" from pg_control_checkpoint()
  `.execute(db);
  if (rows[0]?.isLong === true) await sql`checkpoint`.execute(db);
}

/** Tables whose rows are deleted or replaced; the others only grow. */
const VACUUMED_TABLES = [
  'inbox',
  'effects',
  'pulls',
  'runs',
  'proposals',
  'messages',
  'side_messages',
  'installation_events',
  'rate_limits',
  'recovery_state',
  'ledger_heads',
  'ledger_size',
] as const satisfies readonly (keyof DatabaseSchema)[];

/** A table is vacuumed after this many changes plus one for every `ROWS_PER_CHANGE` rows. */
const MIN_CHANGES = 1_000;

const ROWS_PER_CHANGE = 25;

/**
 * Frees the space of deleted and replaced rows; without autovacuum an embedded database would grow forever. Works one
 * table at a time, so that other users get their turn.
 */
export async function vacuum({ db, embedded }: Pick<Backend, 'db' | 'embedded'>): Promise<void> {
  if (!embedded) return;
  for (const table of VACUUMED_TABLES) await vacuumOf(table).execute(db);
}

/**
 * Vacuums each table with many changes since its last vacuum, also with changes that were rolled back, as rehearsed
 * deliveries are. Until then, indexes on pending rows keep entries of done ones, which every query for work reads, and
 * statements are planned for the old size. Large tables need more changes, because a vacuum reads all their indexes.
 */
async function vacuumChanged(db: Kysely<DatabaseSchema>): Promise<void> {
  // Statistics of this session become visible only after a flush.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_stat_user_tables
    where greatest(n_mod_since_analyze, n_dead_tup) >= ${MIN_CHANGES}::bigint + n_live_tup / ${ROWS_PER_CHANGE}::bigint
  `.execute(db);
  for (const { relname } of rows) await vacuumOf(relname).execute(db);
}

/** Always cleans the indexes, even after few changes: every query for work reads the newest entries. */
function vacuumOf(table: string): RawBuilder<unknown> {
  return sql`vacuum (analyze, index_cleanup on) ${sql.table(table)}`;
}
