import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominantLineEnding, keepLineEndings } from '../../../../../src/core/edits/build/build-text.ts';
import {
  countLineFeeds,
  countLines,
  crLfToLf,
  splitLines,
  withoutLineEnding,
} from '../../../../../src/core/edits/text/lines.ts';
import { anyText } from '../samples.ts';

const characters = fc.string({ unit: fc.constantFrom('\r', '\n', '\r\n', 'a', '上'), maxLength: 20 });

const line = fc.constantFrom('a\n', 'a\r\n', 'b\n', 'b\r\n', '\n', '\r\n');

const textOf = (maxLength: number) =>
  fc.tuple(fc.array(line, { maxLength }), fc.constantFrom('', 'a', 'c\r')).map(([lines, end]) => lines.join('') + end);

/** By line without its ending: all its endings, in the order of the text. */
function endingsByLine(text: string): Map<string, string[]> {
  const endings = new Map<string, string[]>();
  for (const whole of splitLines(text).filter((one) => one.endsWith('\n'))) {
    const bare = withoutLineEnding(whole);
    endings.set(bare, [...(endings.get(bare) ?? []), whole.slice(bare.length)]);
  }
  return endings;
}

describe('keepLineEndings', () => {
  it.each([
    ['a second copy is a new line, at either position', 'a\r\nb\n', 'a\na\nb\n', 'a\r\na\nb\n'],
    ['among other lines too', 'x\na\r\ny\n', 'z\na\na\nq\n', 'z\na\r\na\nq\n'],
    ['two old lines keep their endings', 'a\r\nx\na\r\n', 'q\na\na\na\nz\n', 'q\na\r\na\r\na\nz\n'],
    ['moved lines keep their endings', 'a\r\nb\nc\r\n', 'c\nb\na\n', 'c\r\nb\na\r\n'],
    ['an unterminated last line stays unterminated', 'q\nb\r\n', 'b\nz\nb', 'b\r\nz\nb'],
  ])('%s (S10)', (_, replaced, replacement, kept) => {
    expect(keepLineEndings(replaced, replacement, '\n')).toBe(kept);
  });

  it('as many lines as before keep their endings, others get the dominant one (S10)', () => {
    const ending = fc.constantFrom('\n' as const, '\r\n' as const);
    fc.assert(
      fc.property(textOf(9), textOf(9), ending, (replaced, replacement, dominant) => {
        const kept = keepLineEndings(replaced, replacement, dominant);
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
      { numRuns: 1_000 },
    );
  });
});

describe('line endings of a text', () => {
  it('the dominant ending is that of most lines, LF for a tie (S10)', () => {
    fc.assert(
      fc.property(fc.oneof(characters, anyText), fc.integer({ min: 1, max: 60 }), (piece, times) => {
        const text = piece.repeat(times);
        const pairs = text.split('\r\n').length - 1;
        const others = text.split('\n').length - 1 - pairs;
        expect(dominantLineEnding(text)).toBe(pairs > others ? '\r\n' : '\n');
      }),
      { numRuns: 400 },
    );
  });

  it('counts and normalizes short and long texts (S10)', () => {
    fc.assert(
      fc.property(fc.oneof(characters, anyText), fc.integer({ min: 1, max: 200 }), (piece, times) => {
        const text = piece.repeat(times);
        expect(countLines(text)).toBe(splitLines(text).length);
        expect(countLineFeeds(text)).toBe(text.split('\n').length - 1);
        expect(crLfToLf(text)).toBe(text.split('\r\n').join('\n'));
      }),
      { numRuns: 400 },
    );
  });
});
