import { sql } from 'kysely';
import { type Backend, HOLDERS } from '../store/backend.ts';
import { writesOfCommit } from '../store/ledger.ts';
import { storeOn } from '../store/store-on.ts';
import type { Database } from './database.ts';
import { emptyDatabase } from './empty-database.ts';

/**
 * A real database, emptied for a case. The processes of the case share its one connection; each holds an advisory lock
 * of its own there for its life, as it would on a connection of its own.
 */
export async function backendDatabase(backend: Backend): Promise<Database> {
  const { db } = backend;
  await emptyDatabase(db);
  await sql`select pg_advisory_unlock_all()`.execute(db);
  const listeners = new Set<() => void>();
  let holders = 0;
  return {
    async open() {
      holders += 1;
      const holder = holders;
      await sql`select pg_advisory_lock(${sql.lit(HOLDERS)}, ${sql.lit(holder)})`.execute(db);
      const store = storeOn({
        ...{ db, holder, embedded: false, tenure: () => db },
        tellOthers: () => {
          for (const listener of listeners) listener();
        },
        onTold: (listener) => void listeners.add(listener),
        onCut: () => {},
        close: async () => {},
      });
      return {
        store,
        dies: async () => {
          await sql`select pg_advisory_unlock(${sql.lit(HOLDERS)}, ${sql.lit(holder)})`.execute(db);
        },
      };
    },
    async remains() {
      const { rows } = await sql<{ waiting: string }>`
        select (select count(*) from inbox where done_at is null) + (select count(*) from effects where done_at is null)
          as waiting`.execute(db);
      const { rows: counted } = await sql<{ words: string }>`
        select (select count(*) from inbox where signal is not null) + (select count(*) from runs)
          + (select count(distinct run_id) from messages) + (select count(*) from proposals)
          + (select count(*) from votes where text is not null) + (select count(*) from outcomes where note is not null)
          as words`.execute(db);
      const parked = await db.selectFrom('inbox').select(['pull_key', 'error']).where('parked', '=', true).execute();
      const written = await db.selectFrom('writes').select('commit_sha').distinct().execute();
      const ledger = await Promise.all(
        written.map(async ({ commit_sha: commit }) => [commit, await writesOfCommit(db, commit)] as const),
      );
      return {
        waiting: Number(rows[0]?.waiting ?? 0),
        parked: parked.map(({ pull_key: pullKey, error }) => ({ pullKey, error: error ?? '' })),
        words: Number(counted[0]?.words ?? 0),
        ledger: new Map(ledger),
      };
    },
  };
}
