import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import { createPgliteBackend, PGLITE_OPTIONS } from '../../src/adapters/store/engine/pglite.ts';
import type { Backend } from '../../src/adapters/store/engine/schema.ts';

/** A migrated PGlite in memory with empty tables. */
export type BorrowedPglite = {
  /** Opens it like another process. */
  readonly open: () => Backend;
  /** Returns it for reuse; only allowed if the schema is unchanged. */
  readonly giveBack: () => void;
};

/** Unused instances for the worker's next test file: emptying the tables is faster than creating them. */
const idle: PGlite[] = [];

/** With the replica role, because triggers prevent others from emptying the ledger. */
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

/** A new migrated PGlite from the template, which saves seconds. */
export async function fromTemplate(): Promise<PGlite> {
  const loadDataDir = new Blob([await readFile(inject('templateArchive'))]);
  return PGlite.create({ ...PGLITE_OPTIONS, loadDataDir });
}
