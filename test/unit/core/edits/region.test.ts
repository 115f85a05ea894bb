import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../../../src/core/edits/change.ts';
import {
  applyRegion,
  areRegionsTouching,
  composeFile,
  formatRange,
  regionBetween,
  regionIndex,
  regionRange,
  relocateRegion,
} from '../../../../src/core/edits/region.ts';
import { splitLines } from '../../../../src/core/edits/text/lines.ts';

/** The literal definition: common prefix of lines, then common suffix of the rest. */
function byDefinition(before: string, after: string): Region | null {
  const left = splitLines(before);
  const right = splitLines(after);
  let head = 0;
  while (head < Math.min(left.length, right.length) && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(left.length, right.length) - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  if (before === after) return null;
  const old = left.slice(head, left.length - tail);
  const newLines = right.slice(head, right.length - tail);
  return {
    oldStart: old.length === 0 ? head : head + 1,
    newStart: newLines.length === 0 ? head : head + 1,
    before: left.slice(Math.max(0, head - 3), head),
    old,
    new: newLines,
    after: left.slice(left.length - tail, left.length - tail + 3),
  };
}

const piece = fc.constantFrom('a', 'b', '\n', '\n', 'a\n', 'b\r\n', '\r', '\u{FEFF}', '😀');

const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('regionBetween', () => {
  it('equals the definition', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(regionBetween(before, after)).toEqual(byDefinition(before, after));
      }),
      { numRuns: 1_500 },
    );
  });

  it('turns the old text into the new one (S91)', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const region = regionBetween(before, after);
        expect(region === null ? before : applyRegion(before, region)).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused if the old lines are elsewhere (B4)', () => {
    const region = regionBetween('a\nb\nc\n', 'a\nx\nc\n');
    if (region === null) throw new Error('no region');
    expect(() => applyRegion('a\nc\nb\n', region)).toThrow();
    expect(() => applyRegion('a\nbb\n', region)).toThrow();
    expect(() => applyRegion('a', region)).toThrow();
    expect(relocateRegion('x\na\nb\nc\n', region, 3)).toMatchObject({
      oldStart: 3,
      newStart: 3,
      before: ['x\n', 'a\n'],
    });
    expect(relocateRegion('x\na\nb\nc\n', region, 2)).toBeNull();
    expect(relocateRegion('x', region, 9)).toBeNull();
  });

  it('is never placed where lines would run together (B4)', () => {
    const appended = regionBetween('a', 'b');
    if (appended === null) throw new Error('no region');
    expect(relocateRegion('a\na', appended, 2)).not.toBeNull();
    expect(relocateRegion('a\nc', appended, 1)).toBeNull();
  });
});

const changes = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 2 }), fc.nat({ max: 2 })), { maxLength: 5 });

describe('composeFile', () => {
  it('several changes are at their ranges (S96)', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const base = Array.from({ length: 16 }, (_, index) => `line ${index}\n`);
        const regions: Region[] = [];
        for (const [index, removed, added] of list) {
          if (removed + added === 0) continue;
          const newLines = Array.from({ length: added }, (_, order) => `new ${index} ${order}\n`);
          const after = [...base.slice(0, index), ...newLines, ...base.slice(index + removed)].join('');
          const region = regionBetween(base.join(''), after);
          if (region !== null && regions.every((other) => !areRegionsTouching(other, region))) regions.push(region);
        }
        const composed = composeFile(base.join(''), regions);
        const lines = splitLines(composed.text);
        let expected = base.join('');
        for (const region of [...regions].sort((left, right) => regionIndex(right) - regionIndex(left))) {
          expected = applyRegion(expected, region);
        }
        expect(composed.text).toBe(expected);
        for (const [order, range] of composed.ranges.entries()) {
          const start = range.newLines === 0 ? range.newStart : range.newStart - 1;
          expect(lines.slice(start, start + range.newLines)).toEqual(regions[order]?.new);
          expect(range.oldStart).toBe(regions[order]?.oldStart);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses changes that overlap or touch (S18)', () => {
    const at = (line: number) => {
      const lines = ['a\n', 'b\n', 'c\n', 'd\n'];
      return regionBetween(lines.join(''), lines.with(line - 1, 'x\n').join(''));
    };
    const [first, second, third] = [at(1), at(2), at(3)];
    if (first === null || second === null || third === null) throw new Error('no region');
    expect(areRegionsTouching(first, first)).toBe(true);
    expect(areRegionsTouching(first, second)).toBe(true);
    expect(areRegionsTouching(first, third)).toBe(false);
    expect(() => composeFile('a\nb\nc\nd\n', [second, first])).toThrow();
    expect(composeFile('a\nb\nc\nd\n', [third, first]).text).toBe('x\nb\nx\nd\n');
  });

  it('formats a range for the trailer', () => {
    const region = regionBetween('a\nb\n', 'a\nx\ny\nb\n');
    expect(region === null ? '' : formatRange(regionRange(region))).toBe('1,0 2,2');
  });
});
