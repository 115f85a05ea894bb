import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../src/change/change.ts';
import { countLines, splitLines } from '../../src/change/lines.ts';
import { composeFile, formatRange, rangeOf } from '../../src/change/range.ts';
import { applyRegion, indexOf, placeAt, regionBetween, regionsCollide } from '../../src/change/region.ts';

/** The definition, word for word: common prefix of lines, then common suffix of what is left. */
function byDefinition(before: string, after: string): Region | null {
  const left = splitLines(before);
  const right = splitLines(after);
  let head = 0;
  while (head < Math.min(left.length, right.length) && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(left.length, right.length) - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  if (before === after) return null;
  const old = left.slice(head, left.length - tail);
  const fresh = right.slice(head, right.length - tail);
  return {
    oldStart: old.length === 0 ? head : head + 1,
    newStart: fresh.length === 0 ? head : head + 1,
    before: left.slice(Math.max(0, head - 3), head),
    old,
    new: fresh,
    after: left.slice(left.length - tail, left.length - tail + 3),
  };
}

const piece = fc.constantFrom('a', 'b', '\n', '\n', 'a\n', 'b\r\n', '\r', '\u{FEFF}', '😀');
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('lines', () => {
  it('keep their terminators, a CR belonging to its line', () => {
    expect(splitLines('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c']);
    expect(splitLines('')).toEqual([]);
    expect(splitLines('\r')).toEqual(['\r']);
  });

  it('join to the text again', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(splitLines(value).join('')).toBe(value);
        expect(splitLines(value)).toHaveLength(countLines(value));
      }),
    );
  });
});

describe('regionBetween', () => {
  it('takes away what both begin and end with', () => {
    expect(regionBetween('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toEqual({
      oldStart: 5,
      newStart: 5,
      before: ['2\n', '3\n', '4\n'],
      old: ['5\n'],
      new: ['five\n'],
      after: ['6\n', '7\n', '8\n'],
    });
  });

  it('numbers a side without lines by the line before it', () => {
    expect(regionBetween('a\nb\n', 'a\nx\nb\n')).toMatchObject({ oldStart: 1, newStart: 2, old: [], new: ['x\n'] });
    expect(regionBetween('a\n', 'x\na\n')).toMatchObject({ oldStart: 0, newStart: 1 });
    expect(regionBetween('a\nb\n', 'b\n')).toMatchObject({ oldStart: 1, newStart: 0 });
    expect(regionBetween('', 'a')).toMatchObject({ oldStart: 0, newStart: 1 });
  });

  it('takes the prefix first, so a doubled line is added behind its equal', () => {
    expect(regionBetween('a\nb\n', 'a\na\nb\n')).toMatchObject({ oldStart: 1, newStart: 2, new: ['a\n'] });
  });

  it('is what interface 6 defines', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(regionBetween(before, after)).toEqual(byDefinition(before, after));
      }),
      { numRuns: 5000 },
    );
  });

  it('S91: applied to the text before it gives the text after', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const region = regionBetween(before, after);
        expect(region === null ? before : applyRegion(before, region)).toBe(after);
      }),
      { numRuns: 3000 },
    );
  });

  it('B4: is refused where the old lines do not stand', () => {
    const region = regionBetween('a\nb\nc\n', 'a\nx\nc\n');
    if (region === null) throw new Error('no region');
    expect(() => applyRegion('a\nc\nb\n', region)).toThrow();
    expect(() => applyRegion('a\nbb\n', region)).toThrow();
    expect(() => applyRegion('a', region)).toThrow();
    expect(placeAt('x\na\nb\nc\n', region, 3)).toMatchObject({ oldStart: 3, newStart: 3, before: ['x\n', 'a\n'] });
    expect(placeAt('x\na\nb\nc\n', region, 2)).toBeNull();
    expect(placeAt('x', region, 9)).toBeNull();
  });

  it('B4: is never placed where lines would run together', () => {
    const appended = regionBetween('a', 'b');
    if (appended === null) throw new Error('no region');
    expect(placeAt('a\na', appended, 2)).not.toBeNull();
    expect(placeAt('a\nc', appended, 1)).toBeNull();
  });
});

const changes = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 2 }), fc.nat({ max: 2 })), { maxLength: 5 });

describe('composeFile', () => {
  it('S96: several changes made at once stand where their ranges say', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const base = Array.from({ length: 16 }, (_, index) => `line ${index}\n`);
        const regions: Region[] = [];
        for (const [index, removed, added] of list) {
          if (removed + added === 0) continue;
          const fresh = Array.from({ length: added }, (_, order) => `new ${index} ${order}\n`);
          const after = [...base.slice(0, index), ...fresh, ...base.slice(index + removed)].join('');
          const region = regionBetween(base.join(''), after);
          if (region !== null && regions.every((other) => !regionsCollide(other, region))) regions.push(region);
        }
        const composed = composeFile(base.join(''), regions);
        const lines = splitLines(composed.text);
        let expected = base.join('');
        for (const region of [...regions].sort((left, right) => indexOf(right) - indexOf(left))) {
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

  it('S18: refuses changes that overlap or touch', () => {
    const at = (line: number) => {
      const lines = ['a\n', 'b\n', 'c\n', 'd\n'];
      return regionBetween(lines.join(''), lines.with(line - 1, 'x\n').join(''));
    };
    const [first, second, third] = [at(1), at(2), at(3)];
    if (first === null || second === null || third === null) throw new Error('no region');
    expect(regionsCollide(first, first)).toBe(true);
    expect(regionsCollide(first, second)).toBe(true);
    expect(regionsCollide(first, third)).toBe(false);
    expect(() => composeFile('a\nb\nc\nd\n', [second, first])).toThrow();
    expect(composeFile('a\nb\nc\nd\n', [third, first]).text).toBe('x\nb\nx\nd\n');
  });

  it('names a range as the trailer does', () => {
    const region = regionBetween('a\nb\n', 'a\nx\ny\nb\n');
    expect(region === null ? '' : formatRange(rangeOf(region))).toBe('1,0 2,2');
  });
});
