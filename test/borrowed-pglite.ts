import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import type { Backend } from '../src/store/backend.ts';
import { backendOn, PARSERS } from '../src/store/open-pglite.ts';

/** A PGlite in memory that holds nothing. */
export type BorrowedPglite = {
  /** A new process's view of it, so to speak: another holder of leases on the same data. */
  readonly open: () => Promise<Backend>;
  readonly giveBack: () => void;
};

/** Those that nobody uses now: the files of a worker run one after another, and starting one takes longer than emptying it. */
const idle: PGlite[] = [];

export async function borrowPglite(): Promise<BorrowedPglite> {
  const pglite = idle.pop() ?? (await fromTemplate());
  await pglite.exec('drop schema public cascade; create schema public');
  return {
    open: () => backendOn(pglite, async () => {}),
    giveBack: () => void idle.push(pglite),
  };
}

/** Making a database anew would take seconds. */
export async function fromTemplate(): Promise<PGlite> {
  const loadDataDir = new Blob([await readFile(inject('templateArchive'))]);
  return PGlite.create({ parsers: PARSERS, loadDataDir });
}
