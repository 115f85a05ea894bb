import { describe, expect, it } from 'vitest';
import { isBelowOtherHeading } from '../../../../src/core/actions/head-assessment.ts';
import { EMPTY_REGION } from '../../../../src/core/edits/region.ts';
import { bigint, proposal } from '../messages/sample.ts';

describe('isBelowOtherHeading', () => {
  const at = (heading?: string | null) =>
    ({ kind: 'applies', region: EMPTY_REGION, sameDigest: true, heading }) as const;

  it('compares with the last known heading (X8)', () => {
    const one = proposal({ ...bigint, heading: 'a() {' });
    expect([at('a() {'), at('b() {'), at(null)].map((to) => isBelowOtherHeading(one, to))).toEqual([false, true, true]);
    const moved = { ...one, currentHeading: { text: 'b() {' } };
    expect([at('a() {'), at('b() {')].map((to) => isBelowOtherHeading(moved, to))).toEqual([true, false]);
    const above = { ...one, currentHeading: { text: null } };
    expect([at('a() {'), at(null)].map((to) => isBelowOtherHeading(above, to))).toEqual([true, false]);
  });

  it('knows nothing of a change that an earlier version stored, or of one without lines (X8)', () => {
    const { heading: _heading, ...stored } = bigint;
    expect(isBelowOtherHeading(proposal(stored), at('a() {'))).toBe(false);
    expect(isBelowOtherHeading(proposal({ ...bigint, heading: 'a() {' }), at(undefined))).toBe(false);
  });
});
