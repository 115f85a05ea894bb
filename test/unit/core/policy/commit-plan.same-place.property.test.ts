import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../../src/core/edits/change.ts';
import { applyRegion, isSameRegionText, regionRange } from '../../../../src/core/edits/region.ts';
import { type HeadFiles, type MemberToCommit, planWrites } from '../../../../src/core/policy/commit-plan.ts';
import { areMembersTouching } from '../../../../src/core/policy/earlier-changes.ts';
import { assessChange } from '../../../../src/core/policy/staleness.ts';
import { anyLine, plainText, rewriteOf, stored } from '../edits/samples.ts';

type Insertion = { readonly base: string; readonly first: FileChange; readonly second: FileChange };

const lines = fc.array(anyLine, { minLength: 1, maxLength: 8 });

/** Two different insertions that were built for one place of one file; null where they come to another change. */
const insertions = fc.tuple(plainText, fc.nat(14), lines, lines).map(([text, at, one, other]): Insertion | null => {
  const base = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const rows = base.split('\n').slice(0, -1);
  const index = at % (rows.length + 1);
  const [first, second] = [one, other].map((added) =>
    rewriteOf(base, [...rows.slice(0, index), ...added, ...rows.slice(index), ''].join('\n')),
  );
  if (first == null || second == null || first.region?.oldStart !== second.region?.oldStart) return null;
  const asEdit = (change: FileChange): FileChange => ({ ...change, op: 'edit', uniqueInBase: true });
  return first.digest === second.digest ? null : { base, first: asEdit(first), second: asEdit(second) };
});

function toCommit(change: FileChange): MemberToCommit {
  return { proposalId: 'k7q2', change, region: change.region };
}

describe('two insertions at the same place', () => {
  it('are never committed at once, in an order that no page shows (T15, S94)', () => {
    fc.assert(
      fc.property(insertions, (drawn) => {
        if (drawn === null) return;
        const { base, first, second } = drawn;
        const files: HeadFiles = new Map([['file.txt', { ref: stored(base).ref, text: base }]]);
        expect(areMembersTouching(first, second)).toBe(true);
        for (const both of [
          [first, second],
          [second, first],
        ])
          expect(() => planWrites(both.map(toCommit), files)).toThrow('overlap or touch');
      }),
      { numRuns: 500 },
    );
  });

  it('are committed one after the other only where the second still stands as its page shows it (S91, S94)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(insertions, fc.boolean(), (drawn, isOwn) => {
        if (drawn === null || drawn.first.region === null || drawn.second.region === null) return;
        const { base, first, second } = drawn;
        const head = applyRegion(base, drawn.first.region);
        const blobs = { blobBefore: stored(base).ref.blob, blobAfter: stored(head).ref.blob };
        const appCommits = isOwn ? [{ ...blobs, ranges: [regionRange(drawn.first.region)] }] : [];
        const file = { blob: blobs.blobAfter, mode: '100644', text: head };
        const verdict = assessChange({ change: second, file, appCommits });
        seen.add(verdict.kind);
        // Lines and context are those of the page, so the place between them is too.
        if (verdict.kind === 'applies') expect(isSameRegionText(verdict.region, drawn.second.region)).toBe(true);
        expect(first.digest).not.toBe(second.digest);
      }),
      { numRuns: 700 },
    );
    expect(seen).toContain('stale');
  });
});
