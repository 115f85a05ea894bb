import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FlatValues, mergeSettings } from '../../../../src/core/settings/strictness.ts';
import { limitsSchema, OperatorFileSchema } from '../../../../src/core/settings/settings-schema.ts';

/** How much each value restricts, written by hand: the product's own order is not used. */
const FROM_LOOSE_TO_STRICT: Readonly<Record<string, readonly (string | number | boolean | undefined)[]>> = {
  approvers: ['write', 'maintain', 'admin'],
  require_non_author: [false, true],
  require_non_requester: [false, true],
  required_approvals: [1, 2, 3, 10],
  standing_approvals: ['glob', 'path', 'off'],
  expiry: ['30d', '25h', '1d', '1h'],
  review_approval: ['approve-all', 'nothing'],
  sign_off: [false, true],
  'limits.turns': [60, 20, 1],
  'limits.tokens': [1_000_000, 5, 1],
  'limits.cost_usd': [undefined, 100, 2.5, 0.01],
  'limits.minutes': [undefined, 60, 1],
  'limits.proposals_per_turn': [30, 20, 1],
  'limits.runs_per_day': [100_000, 50, 1],
  'limits.runs_per_person_per_day': [undefined, 50, 1],
};

const KEYS = Object.keys(FROM_LOOSE_TO_STRICT);

function strictness(key: string, value: unknown): number {
  const values: readonly unknown[] = FROM_LOOSE_TO_STRICT[key] ?? [];
  return values.indexOf(value);
}

/** A layer that sets any of the keys. */
const layer: fc.Arbitrary<FlatValues> = fc
  .tuple(
    ...KEYS.map((key) => {
      const values = (FROM_LOOSE_TO_STRICT[key] ?? []).filter((value) => value !== undefined);
      return fc.option(fc.constantFrom(...values).map((value) => [key, value] as const));
    }),
  )
  .map((entries) => new Map(entries.flatMap((entry) => (entry === null ? [] : [entry]))));

const layers = fc.record({ defaults: layer, operator: layer, repository: layer, ceilings: layer });

describe('settings from several sources', () => {
  it('every key that can have a ceiling in the operator’s file has a place in this test', () => {
    const keys = Object.keys(OperatorFileSchema.shape.ceilings.unwrap().shape);
    const limits = Object.keys(limitsSchema.shape).map((key) => `limits.${key}`);
    expect([...keys.filter((key) => key !== 'limits'), ...limits].sort()).toEqual([...KEYS].sort());
  });

  it('a further or tighter ceiling never gives a looser value, nor does a repository escape one (S127)', () => {
    fc.assert(
      fc.property(layers, fc.constantFrom(...KEYS), fc.nat(), (given, key, at) => {
        const before = mergeSettings(given).get(key);
        const values: readonly unknown[] = (FROM_LOOSE_TO_STRICT[key] ?? []).filter((value) => value !== undefined);
        const atLeast = given.ceilings.has(key) ? values.indexOf(given.ceilings.get(key)) : 0;
        const tighter = values.slice(atLeast)[at % (values.length - atLeast)];
        const ceilings = new Map([...given.ceilings, [key, tighter]]);
        const after = mergeSettings({ ...given, ceilings });
        const now = strictness(key, after.get(key));
        expect(now).toBeGreaterThanOrEqual(strictness(key, before));
        expect(now).toBeGreaterThanOrEqual(strictness(key, tighter));
        for (const other of KEYS) if (other !== key) expect(after.get(other)).toEqual(mergeSettings(given).get(other));
      }),
      { numRuns: 500 },
    );
  });

  it('each value is the nearest one, or a stricter ceiling (S127)', () => {
    fc.assert(
      fc.property(layers, (given) => {
        for (const [key, value] of mergeSettings(given)) {
          const own = [given.repository, given.operator, given.defaults].find((one) => one.has(key))?.get(key);
          if (value === own) continue;
          expect(value).toBe(given.ceilings.get(key));
          expect(strictness(key, value)).toBeGreaterThan(strictness(key, own));
        }
      }),
      { numRuns: 300 },
    );
  });
});
