import { describe, expect, it } from 'vitest';
import { isBelowOtherHeading } from '../../../../src/core/actions/head-assessment.ts';
import { createMove } from '../../../../src/core/edits/build/build-file-ops.ts';
import { EMPTY_REGION } from '../../../../src/core/edits/region.ts';
import { assessChange } from '../../../../src/core/policy/staleness.ts';
import { bigint, proposal } from '../messages/sample.ts';

const REF = { blob: 'a'.repeat(40), mode: '100644' } as const;

describe('isBelowOtherHeading', () => {
  const at = (heading: string | null) =>
    ({ kind: 'applies', region: EMPTY_REGION, sameDigest: true, heading }) as const;

  it('compares with the last known heading (X8)', () => {
    const one = proposal({ ...bigint, heading: 'a() {' });
    expect([at('a() {'), at('b() {'), at(null)].map((to) => isBelowOtherHeading(one, to))).toEqual([false, true, true]);
    const moved = { ...one, currentHeading: { text: 'b() {' } };
    expect([at('a() {'), at('b() {')].map((to) => isBelowOtherHeading(moved, to))).toEqual([true, false]);
    const above = { ...one, currentHeading: { text: null } };
    expect([at('a() {'), at(null)].map((to) => isBelowOtherHeading(above, to))).toEqual([true, false]);
  });

  it('is false for a change without lines (X8)', () => {
    const change = createMove({ from: 'a', to: 'b', repositoryName: 'shop', ref: REF, lines: null, bytes: 1 });
    const verdict = assessChange({ change, file: null, source: { ...REF, text: null }, appCommits: [] });
    expect(verdict.kind).toBe('applies');
    expect(isBelowOtherHeading(proposal(change), verdict)).toBe(false);
  });
});
