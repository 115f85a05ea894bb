import { PGlite } from '@electric-sql/pglite';
import type { Backend } from '../store/backend.ts';
import { migrate } from '../store/migrate.ts';
import { backendOn, PARSERS } from '../store/open-pglite.ts';
import { backendDatabase } from './backend-database.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { hunt, type Noticed, simulate } from './simulate.ts';
import type { Tally } from './tally.ts';

/** One case: its seed settles what happens in it, whoever plays it. */
export type CasePiece = { readonly kind: 'case'; readonly seed: number; readonly pglite: boolean };

/** One mutant, by its name, and the cases it is hunted in: `most` from seed `first` on. */
export type HuntPiece = {
  readonly kind: 'hunt';
  readonly name: string;
  readonly first: number;
  readonly most: number;
};

/** Plain data, so that threads can be told; mutants are code, which is never sent. */
export type Piece = CasePiece | HuntPiece;
export type Found = Pick<Noticed, 'after' | 'by'>;

/** Does a piece here and now. */
export function doPiece(piece: Piece): Promise<Tally | Found> {
  switch (piece.kind) {
    case 'case':
      return playOne(piece);
    case 'hunt':
      return huntOne(piece);
  }
}

/** One PGlite in memory for as long as the thread lives, emptied for each case. */
let opened: Promise<Backend> | null = null;

async function playOne({ seed, pglite }: CasePiece): Promise<Tally> {
  if (!pglite) return simulate([seed]);
  opened ??= openBackend();
  const backend = await opened;
  return simulate([seed], () => backendDatabase(backend));
}

async function openBackend(): Promise<Backend> {
  const pglite = await PGlite.create({ parsers: PARSERS });
  const backend = await backendOn(pglite, () => pglite.close());
  await migrate(backend.db);
  return backend;
}

async function huntOne({ name, first, most }: HuntPiece): Promise<Found> {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`There is no mutant ${name}`);
  const { after, by } = await hunt(mutant, first, most);
  return { after, by };
}
