import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachOccurrence, STOP_SEARCH } from '../../../../../src/core/edits/text/find-text.ts';
import { findOccurrences } from '../occurrences.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '上'), minLength: 1, maxLength: 6 });

/** A Fibonacci string: not periodic, but as similar to its shifted self as possible. */
function fibonacci(one: string, other: string, length: number): string {
  let [before, text] = [one, other + one];
  while (text.length < length) [before, text] = [text, text + before];
  return text.slice(0, length);
}

describe('forEachOccurrence', () => {
  it('finds every occurrence in a Fibonacci string (S4)', () => {
    fc.assert(
      fc.property(
        part,
        part,
        fc.nat({ max: 800 }),
        fc.integer({ min: 33, max: 400 }),
        part,
        (one, other, at, length, end) => {
          const whole = fibonacci(one, other, 3000);
          for (const needle of [whole.slice(at, at + length), whole.slice(at, at + length) + end]) {
            const places: number[] = [];
            for (let next = whole.indexOf(needle); next !== -1; next = whole.indexOf(needle, next + 1))
              places.push(next);
            expect(findOccurrences(whole, needle)).toEqual(places);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  const some = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 });
  const times = fc.integer({ min: 3, max: 30 });
  // Text and needle repeat the same part, mostly with more than 32 characters, but differ in between.
  const both = fc.tuple(some, some, some, times, times, times).map(([part, between, end, many, few, again]) => ({
    whole: (part.repeat(many) + between).repeat(again),
    needle: [part.repeat(few), end, between + part.repeat(many)].slice(0, 1 + (again % 3)).join(''),
  }));

  it('visits every occurrence in periodic texts, in steps of any size (S4)', () => {
    fc.assert(
      fc.property(both, fc.integer({ min: 1, max: 9 }), ({ whole, needle }, step) => {
        const found: number[] = [];
        forEachOccurrence(whole, needle, (offset) => (found.push(offset) < 40 ? offset + step : STOP_SEARCH));
        const places: number[] = [];
        for (let at = whole.indexOf(needle); at !== -1; at = whole.indexOf(needle, at + step)) places.push(at);
        expect(found).toEqual(places.slice(0, 40));
      }),
      { numRuns: 700 },
    );
  });
});
