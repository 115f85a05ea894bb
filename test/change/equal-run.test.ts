import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalCut } from '../../src/change/critical-cut.ts';
import { equalRun, lettered } from '../../src/change/equal-run.ts';
import { findText } from './find-text.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '上'), minLength: 1, maxLength: 6 });
const run = fc.tuple(part, fc.integer({ min: 1, max: 200 }), part).map(([one, times, end]) => one.repeat(times) + end);

/** A text without a period that is as like itself, moved, as any can be. */
function fibonacci(one: string, other: string, length: number): string {
  let [before, text] = [one, other + one];
  while (text.length < length) [before, text] = [text, text + before];
  return text.slice(0, length);
}

describe('letters that two texts have alike', () => {
  it('are counted from any offset of either, however long the run is, one byte a letter or two', () => {
    fc.assert(
      fc.property(run, run, fc.nat({ max: 400 }), fc.nat({ max: 400 }), fc.boolean(), (left, other, at, from, same) => {
        const right = same ? left + other : other;
        const [start, begin] = [Math.min(at, left.length), Math.min(from, right.length)];
        let alike = 0;
        while (start + alike < left.length && left[start + alike] === right[begin + alike]) alike += 1;
        expect(equalRun(lettered(left), start, lettered(right), begin)).toBe(alike);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('where a text is cut', () => {
  it('the shortest repetition across the cut is as long as the period of the whole', () => {
    const whole = fc.oneof(
      run,
      fc.tuple(part, part).map(([one, other]) => fibonacci(one, other, 90)),
    );
    fc.assert(
      fc.property(whole, (text) => {
        const { at, period, periodic } = criticalCut(lettered(text));
        const repeats = (length: number, from: number, to: number) =>
          [...Array(Math.max(0, to - from)).keys()].every((step) => text[from + step] === text[from + step + length]);
        const lengths = [...Array(text.length).keys()].map((length) => length + 1);
        const least = lengths.find((length) => repeats(length, 0, text.length - length)) ?? 0;
        const local = lengths.find((length) => {
          return repeats(length, Math.max(0, at - length), Math.min(at, text.length - length));
        });
        expect(local).toBe(least);
        if (periodic) expect(period).toBe(least);
        else expect(period).toBeLessThanOrEqual(least);
      }),
      { numRuns: 300 },
    );
  });

  it('S4: a text that is as like itself as can be is found wherever it stands', () => {
    fc.assert(
      fc.property(
        part,
        part,
        fc.nat({ max: 800 }),
        fc.integer({ min: 33, max: 400 }),
        part,
        (one, other, at, length, end) => {
          const whole = fibonacci(one, other, 3000);
          for (const sought of [whole.slice(at, at + length), whole.slice(at, at + length) + end]) {
            const places: number[] = [];
            for (let next = whole.indexOf(sought); next !== -1; next = whole.indexOf(sought, next + 1))
              places.push(next);
            expect(findText(whole, sought)).toEqual(places);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
