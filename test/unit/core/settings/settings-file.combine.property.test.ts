import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SetValues, tighten } from '../../../../src/core/settings/settings-file.ts';
import { limitsSchema, OperatorFileSchema } from '../../../../src/core/settings/settings-schema.ts';
import { isRecord } from '../../../../src/lib/trust.ts';

/** How much each value restricts, written by hand: the product's own order is not used. */
const FROM_LOOSE_TO_STRICT: Readonly<Record<string, readonly unknown[]>> = {
  approvers: ['write', 'maintain', 'admin'],
  require_non_author: [false, true],
  require_non_requester: [false, true],
  required_approvals: [1, 2, 3, 10],
  standing_approvals: ['glob', 'path', 'off'],
  expiry: ['30d', '25h', '1d', '1h'],
  review_approval: ['approve-all', 'nothing'],
  sign_off: [false, true],
  ...Object.fromEntries(Object.keys(limitsSchema.shape).map((key) => [key, [undefined, 100, 50, 2.5, 1]])),
};

const LIMITS = Object.keys(limitsSchema.shape);

/** A layer that sets any of the keys. */
const layer: fc.Arbitrary<SetValues> = fc.record(
  {
    ...valuesOf(Object.keys(FROM_LOOSE_TO_STRICT).filter((key) => !LIMITS.includes(key))),
    limits: fc.record(valuesOf(LIMITS), { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

function valuesOf(keys: readonly string[]): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    keys.map((key) => [key, fc.constantFrom(...(FROM_LOOSE_TO_STRICT[key] ?? []).filter((one) => one !== undefined))]),
  );
}

function flatten({ limits, ...values }: SetValues): SetValues {
  return { ...values, ...(isRecord(limits) ? limits : {}) };
}

describe('a ceiling', () => {
  it('is of a key that has a place in this test', () => {
    const keys = Object.keys(OperatorFileSchema.shape.ceilings.unwrap().shape);
    expect([...keys.filter((key) => key !== 'limits'), ...LIMITS].sort()).toEqual(
      Object.keys(FROM_LOOSE_TO_STRICT).sort(),
    );
  });

  it('takes the place of a looser value, and of no other (S127)', () => {
    fc.assert(
      fc.property(layer, layer, (values, bounds) => {
        const [own, bound, result] = [values, bounds, tighten(values, bounds)].map(flatten);
        for (const [key, order] of Object.entries(FROM_LOOSE_TO_STRICT)) {
          const strictest = Math.max(...[own?.[key], bound?.[key]].map((value) => order.indexOf(value)));
          expect(result?.[key], key).toBe(order[strictest]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
