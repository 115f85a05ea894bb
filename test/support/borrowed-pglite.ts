import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import type { Backend } from '../../src/adapters/store/engine/backend.ts';
import { createPgliteBackend, TYPE_PARSERS } from '../../src/adapters/store/engine/pglite.ts';

/** A PGlite in memory that holds nothing but its tables, in their newest form. */
export type BorrowedPglite = {
  /** A new process's view of it, so to speak: another holder of leases on the same data. */
  readonly open: () => Promise<Backend>;
  /** For the next one who borrows; only where the tables still have that form. */
  readonly giveBack: () => void;
};

/**
 * Those that nobody uses now: the files of a worker run one after another. To start one, or to make tables, takes longer
 * than to empty them.
 */
const idle: PGlite[] = [];

/** In a replica's role, because triggers keep everybody else from emptying the ledger. */
const EMPTY = `
  do $$
  begin
    perform set_config('session_replication_role', 'replica', true);
    execute (
      select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity'
      from pg_tables where schemaname = 'public' and tablename <> 'migrations'
    );
  end
  $$
`;

export async function borrowPglite(): Promise<BorrowedPglite> {
  const used = idle.pop();
  await used?.exec(EMPTY);
  const pglite = used ?? (await fromTemplate());
  return {
    open: () => createPgliteBackend(pglite, async () => {}),
    giveBack: () => void idle.push(pglite),
  };
}

/** One of one's own, with all tables. Making a database anew would take seconds. */
export async function fromTemplate(): Promise<PGlite> {
  const loadDataDir = new Blob([await readFile(inject('templateArchive'))]);
  return PGlite.create({ parsers: TYPE_PARSERS, loadDataDir });
}
