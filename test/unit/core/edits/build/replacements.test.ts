import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildReplacements, type TextReplacement } from '../../../../../src/core/edits/build/replacements.ts';
import { regionBetween } from '../../../../../src/core/edits/region.ts';
import { createSearchableText, findNonOverlappingMatches } from '../../../../../src/core/edits/text/find-text.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { rewrite } from '../samples.ts';

const few = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\n', 'a\n', '\r\n'), { maxLength }).map((pieces) => pieces.join(''));

/** All replacements, without a limit. */
function allReplacements(text: string, needle: string, newText: string): readonly TextReplacement[] {
  const matches = findNonOverlappingMatches(createSearchableText(text), needle, Number.POSITIVE_INFINITY);
  const built = buildReplacements(createLineTable(text), matches, newText, Number.POSITIVE_INFINITY);
  return built.kind === 'replacements' ? built.replacements : [];
}

describe('the replacements of an edit', () => {
  it('are refused only if that many lines are between the first and the last difference (H6)', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(few(24), few(4), few(6), fc.nat({ max: 8 }), (text, needle, newText, maxLines) => {
        const replacements = allReplacements(text, needle, newText);
        const built = buildReplacements(createLineTable(text), replacements, newText, maxLines);
        seen.add(built.kind === 'span-too-long');
        if (built.kind !== 'span-too-long') return;
        const after = replacements.reduceRight(rewrite, text);
        const region = regionBetween(text, after, createLineTable(text));
        expect((region?.old.length ?? 0) + (region?.new.length ?? 0)).toBeGreaterThanOrEqual(built.lines);
        expect(built.lines).toBeGreaterThan(maxLines);
      }),
      { numRuns: 10_000 },
    );
    expect(seen.size).toBe(2);
  });

  it('are refused before they are built if the first and the last one are too far apart (H6)', () => {
    const text = 'some words\n'.repeat(26_000);
    const matches = findNonOverlappingMatches(createSearchableText(text), 'words', Number.POSITIVE_INFINITY);
    expect(buildReplacements(createLineTable(text), matches, 'others')).toEqual({
      kind: 'span-too-long',
      lines: 51_999,
    });
    expect(buildReplacements(createLineTable(text), matches.slice(1001), 'others').kind).toBe('replacements');
  });

  it('equal lines with different endings each keep their own (S10)', () => {
    const texts = allReplacements('a\r\nb\n-\na\nb\r\n-\na\r\nb\n', 'a\nb\n', 'x\nb\na\n').map(({ text }) => text);
    expect(texts).toEqual(['x\nb\na\r\n', 'x\nb\r\na\n', 'x\nb\na\r\n']);
  });
});
