import { type PlayedCase, playCase } from './case.ts';
import { checkCase } from './check/check-case.ts';
import { type Database, memoryDatabase } from './database.ts';
import type { Mutant } from './mutants/mutant.ts';
import { NOTHING_PLAYED, sumOf, type Tally, tallyOf } from './tally.ts';

/** A case with what is wrong in it; nothing is in a good one. */
export type Judged = { readonly played: PlayedCase; readonly problems: readonly string[] };

/** Plays and checks one case; an exception of the product's own is a problem too. */
export async function judgeCase(seed: number, database: Database = memoryDatabase()): Promise<Judged> {
  const played = await playCase({ seed, database });
  return { played, problems: await checkCase(played) };
}

/** Plays cases of these seeds one after another. */
export async function simulate(
  seeds: Iterable<number>,
  open: () => Promise<Database> | Database = memoryDatabase,
): Promise<Tally> {
  let sum = NOTHING_PLAYED;
  for (const seed of seeds) {
    const { played, problems } = await judgeCase(seed, await open());
    sum = sumOf([sum, tallyOf(played, problems)]);
  }
  return sum;
}

/** Where a mutant was noticed: after so many cases, and by what; null where it never was. */
export type Noticed = { readonly mutant: Mutant; readonly after: number; readonly by: string | null };

/** Plays cases with one mistake in place until it is noticed, at most so many. */
export async function hunt(mutant: Mutant, firstSeed: number, most: number): Promise<Noticed> {
  for (let count = 0; count < most; count += 1) {
    const bend = mutant.bend();
    const played = await playCase({ seed: firstSeed + count, database: memoryDatabase(bend.laws), bend });
    const [problem] = await checkCase(played);
    if (problem !== undefined) return { mutant, after: count + 1, by: problem };
  }
  return { mutant, after: most, by: null };
}
