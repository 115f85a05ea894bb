import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDiff } from '../../../../../src/core/agent/context/diff-excerpt.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';

describe('a diff that is cut for the model', () => {
  it('ends with a whole row that is no header, within its bytes', () => {
    const hunk = fc.integer({ min: 1, max: 6 }).map((rows) => `@@ -1,0 +1,${rows} @@\n${'+né\n'.repeat(rows)}`);
    fc.assert(
      fc.property(fc.array(hunk, { minLength: 1 }), fc.integer({ min: 60, max: 400 }), (hunks, maxBytes) => {
        const diff = `--- a/n.md\n+++ b/n.md\n${hunks.join('')}`;
        const cut = cutDiff(diff, maxBytes);
        expect(byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        if (byteLength(diff) <= maxBytes) expect(cut).toBe(diff);
        else expect(cut).toMatch(/\n\+né\n\(cut\)$/);
      }),
    );
  });

  it('whose first row does not fit is cut within it', () => {
    expect(cutDiff('+'.repeat(100), 50)).toBe(`${'+'.repeat(41)}… (cut)`);
  });
});
