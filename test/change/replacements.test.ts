import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineTable } from '../../src/change/line-table.ts';
import { findable, matchesApart } from '../../src/change/match.ts';
import { regionBetween } from '../../src/change/region.ts';
import { type Replacement, replacementsFor } from '../../src/change/replacements.ts';
import { rewrite } from './samples.ts';

const few = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\n', 'a\n', '\r\n'), { maxLength }).map((letters) => letters.join(''));

/** All of them, however many lines they take. */
function all(text: string, sought: string, fresh: string): readonly Replacement[] {
  const matches = matchesApart(findable(text), sought, Number.POSITIVE_INFINITY);
  const made = replacementsFor(lineTable(text), matches, fresh, Number.POSITIVE_INFINITY);
  return made.kind === 'replacements' ? made.replacements : [];
}

describe('the replacements of an edit', () => {
  it('H6: are refused only where so many lines do lie between the first and the last difference', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(few(24), few(4), few(6), fc.nat({ max: 8 }), (text, sought, fresh, most) => {
        const replacements = all(text, sought, fresh);
        const made = replacementsFor(lineTable(text), replacements, fresh, most);
        seen.add(made.kind === 'too-far');
        if (made.kind !== 'too-far') return;
        const after = replacements.reduceRight(rewrite, text);
        const region = regionBetween(text, after, lineTable(text));
        expect((region?.old.length ?? 0) + (region?.new.length ?? 0)).toBeGreaterThanOrEqual(made.lines);
        expect(made.lines).toBeGreaterThan(most);
      }),
      { numRuns: 10_000 },
    );
    expect(seen.size).toBe(2);
  });

  it('H6: are refused before they are made where the first and the last one tell how many lines lie between', () => {
    const text = 'some words\n'.repeat(26_000);
    const matches = matchesApart(findable(text), 'words', Number.POSITIVE_INFINITY);
    expect(replacementsFor(lineTable(text), matches, 'others')).toEqual({ kind: 'too-far', lines: 51_999 });
    expect(replacementsFor(lineTable(text), matches.slice(1001), 'others').kind).toBe('replacements');
  });

  it('S10: the same lines with other endings each keep their own', () => {
    const texts = all('a\r\nb\n-\na\nb\r\n-\na\r\nb\n', 'a\nb\n', 'x\nb\na\n').map(({ text }) => text);
    expect(texts).toEqual(['x\nb\na\r\n', 'x\nb\r\na\n', 'x\nb\na\r\n']);
  });
});
