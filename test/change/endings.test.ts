import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominantEnding, keepEndings } from '../../src/change/endings.ts';
import { folded } from '../../src/change/folded.ts';
import { bareLine, countFeeds, countLines, splitLines, withoutCarriageReturns } from '../../src/change/lines.ts';
import { anyText } from './samples.ts';

const letters = fc.string({ unit: fc.constantFrom('\r', '\n', '\r\n', 'a', '上'), maxLength: 20 });

const line = fc.constantFrom('a\n', 'a\r\n', 'b\n', 'b\r\n', '\n', '\r\n');
const textOf = (maxLength: number) =>
  fc.tuple(fc.array(line, { maxLength }), fc.constantFrom('', 'a', 'c\r')).map(([lines, end]) => lines.join('') + end);

/** Each line without its ending, and the endings that it has, in the order of the text. */
function endingsByLine(text: string): Map<string, string[]> {
  const endings = new Map<string, string[]>();
  for (const whole of splitLines(text).filter((one) => one.endsWith('\n'))) {
    const bare = bareLine(whole);
    endings.set(bare, [...(endings.get(bare) ?? []), whole.slice(bare.length)]);
  }
  return endings;
}

describe('the endings of new lines', () => {
  it.each([
    ['a second copy is a new line, whichever of both stands where it stood', 'a\r\nb\n', 'a\na\nb\n', 'a\r\na\nb\n'],
    ['among other lines too', 'x\na\r\ny\n', 'z\na\na\nq\n', 'z\na\r\na\nq\n'],
    ['two that stood there keep both theirs', 'a\r\nx\na\r\n', 'q\na\na\na\nz\n', 'q\na\r\na\r\na\nz\n'],
    ['lines that change places keep theirs', 'a\r\nb\nc\r\n', 'c\nb\na\n', 'c\r\nb\na\r\n'],
    ['a last line without an ending takes none from another', 'q\nb\r\n', 'b\nz\nb', 'b\r\nz\nb'],
  ])('S10: %s', (_, replaced, replacement, kept) => {
    expect(keepEndings(replaced, replacement, '\n')).toBe(kept);
  });

  it('S10: as many lines keep theirs as there were before, all further ones get that of the file', () => {
    const ending = fc.constantFrom('\n' as const, '\r\n' as const);
    fc.assert(
      fc.property(textOf(9), textOf(9), ending, (replaced, replacement, dominant) => {
        const kept = keepEndings(replaced, replacement, dominant);
        expect(kept.split('\r\n').join('\n')).toBe(replacement.split('\r\n').join('\n'));
        const before = endingsByLine(replaced);
        for (const [bare, endings] of endingsByLine(kept)) {
          const old = before.get(bare) ?? [];
          const added = Math.max(0, endings.length - old.length);
          for (const one of ['\n', '\r\n'] as const) {
            const count = endings.filter((other) => other === one).length;
            const most = old.filter((other) => other === one).length + (one === dominant ? added : 0);
            expect(count).toBeLessThanOrEqual(most);
            if (endings.length >= old.length) expect(count).toBe(most);
          }
        }
      }),
      { numRuns: 3000 },
    );
  });
});

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
