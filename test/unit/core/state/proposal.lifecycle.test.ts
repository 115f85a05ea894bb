import { describe, expect, it } from 'vitest';
import { singleChange } from '../../../../src/core/edits/change.ts';
import { transition, writerOf } from '../../../../src/core/state/proposal.ts';
import { ben, bigint, edit, proposal, total } from '../messages/sample.ts';

const NOW = '2030-01-01T00:00:00.000Z';

describe('a person’s own lines that were not committed', () => {
  it('leave the proposal with their writer (X7)', () => {
    const own = edit('src/total.ts', total, 'let total = 0;', 'let total = 1n;');
    const revertRegion = own.region ?? { oldStart: 0, newStart: 0, before: [], old: [], new: [], after: [] };
    const originalChange = singleChange(bigint);
    const edited = proposal(own, {
      state: 'approved',
      userEdit: { diff: '', revertRegion, originalChange, reposted: false },
      writers: [ben],
    });
    expect(writerOf(edited)).toEqual(ben);
    const reopened = transition(edited, 'proposed', NOW);
    expect(reopened.change).toBe(originalChange);
    expect(writerOf(reopened)).toBeNull();
    expect(reopened.writers).toEqual([]);
    expect(transition(edited, 'executing', NOW).writers).toEqual([ben]);
  });
});
