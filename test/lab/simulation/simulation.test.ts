import { describe, expect, it } from 'vitest';
import { playHostileCase } from '../../../lab/simulation/hostile-case.ts';
import { MUTANTS } from '../../../lab/simulation/mutants/mutants.ts';
import { describeCase } from '../../../lab/simulation/report.ts';
import { huntMutant, runCase, runCases } from '../../../lab/simulation/simulate.ts';
import { createBackendDatabase, createMemoryDatabase } from '../../../lab/simulation/world/database.ts';
import { borrowPglite } from '../../support/borrowed-pglite.ts';

const seeds = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);

/** Mutants that the first cases reveal. `npm run simulate -- --mutants` hunts all of them, the slow ones too. */
const FAST_MUTANTS = ['changed-bytes', 'acknowledged-before-stored', 'links-followed'];

describe('the simulation', () => {
  it('keeps every promise under random actions and faults, with a hostile model too (S75, S77–S79, S81, S172, CK22)', async () => {
    const totals = await runCases(seeds(1, 10));
    const hostile = await runCases(seeds(6, 5), createMemoryDatabase, playHostileCase);
    expect([...totals.failures, ...hostile.failures]).toEqual([]);
    expect(totals.commits).toBeGreaterThan(0);
    expect(hostile.commits).toBeGreaterThan(0);
  }, 240_000);

  it('keeps every promise on a real database, with any bytes that a model sends', async () => {
    const pglite = await borrowPglite();
    const backend = await pglite.open();
    const { failures } = await runCases(seeds(1, 1), () => createBackendDatabase(backend));
    const hostile = await runCases(seeds(2, 1), () => createBackendDatabase(backend), playHostileCase);
    pglite.giveBack();
    expect([...failures, ...hostile.failures]).toEqual([]);
  }, 240_000);

  it('plays the same history for the same seed', async () => {
    const [first, second] = [await runCase(7), await runCase(7)];
    expect(describeCase(second.played)).toEqual(describeCase(first.played));
    expect(describeCase((await runCase(8)).played)).not.toEqual(describeCase(first.played));
  });

  it.each(FAST_MUTANTS)(
    'notices the mutant %s',
    async (name) => {
      const mutant = MUTANTS.find((one) => one.name === name);
      if (mutant === undefined) throw new Error(`No mutant has the name ${name}.`);
      expect((await huntMutant(mutant, 1, 120)).noticedBy).not.toBeNull();
    },
    120_000,
  );
});
