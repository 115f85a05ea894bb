import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../../lab/simulation/mutants/mutants.ts';
import { describeCase } from '../../../lab/simulation/report.ts';
import { huntMutant, runCase, runCases } from '../../../lab/simulation/simulate.ts';
import { createBackendDatabase } from '../../../lab/simulation/world/database.ts';
import { FAULT_KINDS } from '../../../lab/simulation/world/trace.ts';
import { borrowPglite } from '../../support/borrowed-pglite.ts';

const seeds = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);

/** Transitions that occur in every hundred cases. */
const FREQUENT_TRANSITIONS = [
  'proposed to approved',
  'proposed to rejected',
  'proposed to superseded',
  'proposed to cancelled',
  'proposed to expired',
  'approved to executing',
  'approved to rejected',
  'executing to completed',
];

/** Only one case in fifty has a stale head at the time of a commit. */
const RARE_FAULTS: ReadonlySet<string> = new Set(['stale-head']);

/** Mutants that the first cases reveal. `npm run simulate -- --mutants` hunts all of them, the slow ones too. */
const FAST_MUTANTS = [
  'set-committed-in-part',
  'set-digest-in-part',
  'changed-bytes',
  'everybody-may-decide',
  'required-approvals-ignored',
  'commits-not-recorded',
  'acknowledged-before-stored',
  'effects-after-the-step',
  'standing-covers-earlier',
  'questions-propose',
];

describe('the simulation', () => {
  it('keeps every promise under random actions and faults (S75, S77–S79, S81, B14, G6, G7)', async () => {
    const { failures, commits, transitions, faults } = await runCases(seeds(1, 100));
    expect(failures).toEqual([]);
    expect(commits).toBeGreaterThan(25);
    expect(Object.keys(transitions)).toEqual(expect.arrayContaining([...FREQUENT_TRANSITIONS]));
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULT_KINDS.filter((kind) => !RARE_FAULTS.has(kind))));
  }, 240_000);

  it('keeps every promise on a real database', async () => {
    const pglite = await borrowPglite();
    const backend = await pglite.open();
    const { failures } = await runCases(seeds(1, 6), () => createBackendDatabase(backend));
    pglite.giveBack();
    expect(failures).toEqual([]);
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
      expect((await huntMutant(mutant, 1, 100)).noticedBy).not.toBeNull();
    },
    120_000,
  );
});
