import { describe, expect, it } from 'vitest';
import { CANARY, HOSTILE_CONTENT, SECRET_PATHS } from '../../../lab/adversary/denied-files.ts';
import { HOSTILE_MUTANTS } from '../../../lab/adversary/mutants.ts';
import { readAdversaryOptions } from '../../../lab/adversary/options.ts';
import { aimPayload, PAYLOADS } from '../../../lab/adversary/payloads.ts';
import { playHostileCase, promiseOf } from '../../../lab/adversary/play.ts';
import { addTotals, NO_TURNS, reportLines, tryCase } from '../../../lab/adversary/totals.ts';
import { describeCase } from '../../../lab/simulation/report.ts';
import { createBackendDatabase } from '../../../lab/simulation/world/database.ts';
import { findReadDenyRule } from '../../../src/core/policy/path-tables.ts';
import { borrowPglite } from '../../support/borrowed-pglite.ts';

/** The most cases that a mutant may need to be noticed. */
const HUNT_CASES = 120;

describe('the hostile model', () => {
  it('writes nothing without an approval, reads no denied file, and breaks no run (S172, D1)', async () => {
    let totals = NO_TURNS;
    for (let seed = 1; totals.turns < 400; seed += 1) totals = addTotals(totals, await tryCase(seed));
    expect(totals.failures).toEqual([]);
    expect(totals.commits).toBeGreaterThan(0);
    expect(totals.proposals).toBeGreaterThan(40);
    expect(totals.injections).toBeGreaterThan(60);
  }, 240_000);

  it('breaks nothing on a real database with any bytes that it sends (S172)', async () => {
    const pglite = await borrowPglite();
    const backend = await pglite.open();
    for (const seed of [2, 3, 4]) {
      const database = await createBackendDatabase(backend);
      expect((await playHostileCase(seed, { openDatabase: () => database })).problems).toEqual([]);
    }
    pglite.giveBack();
  }, 240_000);

  it.each(HOSTILE_MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    'notices the mutant %s (S172)',
    async (_, mutant) => {
      for (let seed = 1; seed <= HUNT_CASES; seed += 1) {
        const { problems } = await playHostileCase(seed, { mutant });
        if (problems.some((problem) => promiseOf(problem) === mutant.breaks)) return;
      }
      throw new Error(`${HUNT_CASES} cases did not notice ${mutant.name}.`);
    },
    240_000,
  );

  it('plays the same history for the same seed', async () => {
    const [first, second] = [await playHostileCase(5), await playHostileCase(5)];
    expect(describeCase(second.played)).toEqual(describeCase(first.played));
  });
});

describe('what the hostile model is made of', () => {
  it('has at least 200 different injected texts, none of which holds what stands in a denied file', () => {
    const texts = PAYLOADS.map(({ text }) => text);
    expect(new Set(texts).size).toBeGreaterThanOrEqual(200);
    expect(texts.filter((text) => CANARY.test(text))).toEqual([]);
    const aimed = PAYLOADS.map((payload) => aimPayload(payload, { id: 'r0f3', digest: 'ab' }));
    expect(aimed.filter((text) => /\{(?:id|digest)\}/.test(text))).toEqual([]);
    expect(aimed.filter((text) => text.includes('/approve r0f3')).length).toBeGreaterThan(5);
  });

  it('has a text in every denied file that stands in no other', () => {
    const holders = [...HOSTILE_CONTENT.files].filter(([, { bytes }]) => CANARY.test(Buffer.from(bytes).toString()));
    const paths = holders.map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining([...SECRET_PATHS]));
    expect(paths.filter((path) => findReadDenyRule(path) === null)).toEqual([]);
  });
});

describe('npm run adversary', () => {
  it('reads its options, and says what is wrong with them', () => {
    expect(readAdversaryOptions(['--turns', '100000', '--seed', '7', '--threads', '2'])).toEqual({
      kind: 'options',
      options: { turns: 100_000, seed: 7, threads: 2, trace: false, checkpoint: null },
    });
    expect(readAdversaryOptions(['--turns', 'many'])).toMatchObject({ kind: 'problem' });
    expect(readAdversaryOptions(['--trace', '--checkpoint', 'x'])).toMatchObject({ kind: 'problem' });
  });

  it('reports how often each promise was broken, with the command that replays a case', () => {
    const failures = [{ seed: 9, problems: ['write: x was committed', 'read: message 3 holds y', 'V6: a link'] }];
    const lines = reportLines({ ...NO_TURNS, cases: 2, turns: 40, failures }, 2);
    expect(lines.slice(0, 6).map((line) => line.trim())).toEqual([
      '1  unapproved writes',
      '1  reads of denied paths',
      '0  broken transcripts',
      '0  unhandled errors',
      '0  endless runs',
      '1  other promises of the simulation',
    ]);
    expect(lines).toContain('20 turns per second');
    expect(lines.at(-1)).toBe('  npm run adversary -- --seed 9 --trace');
  });
});
