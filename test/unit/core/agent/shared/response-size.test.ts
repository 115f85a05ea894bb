import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDiff, cutDiffForJson } from '../../../../../src/core/agent/shared/response-size.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';

describe('a diff that is cut for the model', () => {
  it('ends with a whole row, within its bytes', () => {
    const hunk = fc.integer({ min: 1, max: 6 }).map((rows) => `@@ -1,0 +1,${rows} @@\n${'+né\n'.repeat(rows)}`);
    fc.assert(
      fc.property(fc.array(hunk, { minLength: 1 }), fc.integer({ min: 60, max: 400 }), (hunks, maxBytes) => {
        const diff = `--- a/n.md\n+++ b/n.md\n${hunks.join('')}`;
        const cut = cutDiff(diff, maxBytes);
        expect(byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        if (byteLength(diff) <= maxBytes) expect(cut).toBe(diff);
        else expect(cut).toMatch(/\n(?:\+né|@@ .* @@|\+\+\+ b\/n\.md)\n\(cut\)$/);
      }),
    );
  });

  it('fits as a JSON string whatever its characters, and stays whole if it does (S168)', () => {
    const row = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\t', '\u0001', 'é', '😀', ' '), maxLength: 60 });
    const diffs = fc.array(row, { minLength: 1, maxLength: 60 }).map((rows) => rows.map((one) => `+${one}\n`).join(''));
    fc.assert(
      fc.property(diffs, fc.integer({ min: 200, max: 2_000 }), (diff, maxBytes) => {
        const cut = cutDiffForJson(diff, maxBytes);
        expect(byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(maxBytes);
        if (byteLength(JSON.stringify(diff)) <= maxBytes) expect(cut).toBe(diff);
      }),
    );
  });

  it('whose first row does not fit is cut within it', () => {
    expect(cutDiff('+'.repeat(100), 50)).toBe(`${'+'.repeat(41)}… (cut)`);
  });
});
