import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominantEnding } from '../../src/change/endings.ts';
import { folded } from '../../src/change/folded.ts';
import { countFeeds, countLines, splitLines, withoutCarriageReturns } from '../../src/change/lines.ts';
import { anyText } from './samples.ts';

const letters = fc.string({ unit: fc.constantFrom('\r', '\n', '\r\n', 'a', '上'), maxLength: 20 });

describe('a text’s line ends', () => {
  it('S10: the ending of most lines, LF where there are as many of each', () => {
    fc.assert(
      fc.property(fc.oneof(letters, anyText), fc.integer({ min: 1, max: 60 }), (piece, times) => {
        const text = piece.repeat(times);
        const pairs = text.split('\r\n').length - 1;
        const others = text.split('\n').length - 1 - pairs;
        expect(dominantEnding(text)).toBe(pairs > others ? '\r\n' : '\n');
      }),
      { numRuns: 1000 },
    );
  });

  it('S10: counted and taken away in short texts and in long ones', () => {
    fc.assert(
      fc.property(fc.oneof(letters, anyText), fc.integer({ min: 1, max: 200 }), (piece, times) => {
        const text = piece.repeat(times);
        expect(countLines(text)).toBe(splitLines(text).length);
        expect(countFeeds(text)).toBe(text.split('\n').length - 1);
        expect(withoutCarriageReturns(text)).toBe(text.split('\r\n').join('\n'));
      }),
      { numRuns: 1000 },
    );
  });

  it('S10: folded as splitting and joining does, and each offset has its way back, in any order', () => {
    fc.assert(
      fc.property(fc.oneof(letters, anyText), fc.array(fc.nat({ max: 20 }), { maxLength: 8 }), (text, offsets) => {
        const { text: short, unfold } = folded(text);
        expect(short).toBe(text.split('\r\n').join('\n'));
        for (const offset of offsets.filter((one) => one <= short.length)) {
          const start = unfold(offset);
          expect(text.slice(0, start).replaceAll('\r\n', '\n')).toBe(short.slice(0, offset));
          expect(text.slice(start - 1, start + 1)).not.toBe('\r\n');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
