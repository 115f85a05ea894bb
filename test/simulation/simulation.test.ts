import { describe, expect, it } from 'vitest';
import { backendDatabase } from '../../src/simulation/backend-database.ts';
import { MUTANTS } from '../../src/simulation/mutants/mutants.ts';
import { hunt, judgeCase, simulate } from '../../src/simulation/simulate.ts';
import { storyOf } from '../../src/simulation/story.ts';
import { FAULT_KINDS } from '../../src/simulation/trace.ts';
import { borrowPglite } from '../borrowed-pglite.ts';

const seeds = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);

/** Ways of a proposal that a hundred cases cannot miss; `npm run simulate` names those that it never saw. */
const FREQUENT = [
  'proposed to approved',
  'proposed to rejected',
  'proposed to superseded',
  'proposed to cancelled',
  'proposed to expired',
  'approved to executing',
  'approved to rejected',
  'executing to completed',
];

/** A commit has to fall into a spell of it: one case in fifty has some, and then several. */
const SELDOM: ReadonlySet<string> = new Set(['stale-head']);

describe('the simulation', () => {
  it('S75, S77–S79, S81, B14, G6, G7: whatever people do and whatever breaks, every promise holds', async () => {
    const { failures, commits, transitions, faults } = await simulate(seeds(1, 100));
    expect(failures).toEqual([]);
    expect(commits).toBeGreaterThan(25);
    expect(Object.keys(transitions)).toEqual(expect.arrayContaining([...FREQUENT]));
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULT_KINDS.filter((kind) => !SELDOM.has(kind))));
  }, 240_000);

  it('does the same on a real database', async () => {
    const pglite = await borrowPglite();
    const backend = await pglite.open();
    const { failures } = await simulate(seeds(1, 6), () => backendDatabase(backend));
    pglite.giveBack();
    expect(failures).toEqual([]);
  }, 240_000);

  it('tells the same story for the same seed', async () => {
    const [first, second] = [await judgeCase(7), await judgeCase(7)];
    expect(storyOf(second.played)).toEqual(storyOf(first.played));
    expect(storyOf((await judgeCase(8)).played)).not.toEqual(storyOf(first.played));
  });

  it.each(MUTANTS.filter(({ name }) => /^(?:other-bytes|everybody|answer|effects-after|deny)/.test(name)))(
    'notices $name',
    async (mutant) => {
      expect((await hunt(mutant, 1, 400)).by).not.toBeNull();
    },
    120_000,
  );
});
