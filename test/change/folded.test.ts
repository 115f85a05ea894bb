import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded } from '../../src/change/folded.ts';
import { lettersOf, textOf } from '../../src/change/letters.ts';
import { STOP, searchText } from '../../src/change/occurrences.ts';

const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r\n', '\r', '\r\r\n', 'c'.repeat(31), '上', '😀');
const text = fc.array(piece, { maxLength: 90 }).map((pieces) => pieces.join(''));

describe('a text with its line ends folded', () => {
  it('S10: has LF for every CRLF, and each of its offsets leads back to where that letter stood', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { text: after, unfold } = folded(whole);
        expect(after).toBe(whole.replaceAll('\r\n', '\n'));
        let at = 0;
        const origins = Array.from({ length: after.length + 1 }, () => {
          const origin = at;
          at += whole.startsWith('\r\n', at) ? 2 : 1;
          return origin;
        });
        expect(origins.map((_, offset) => unfold(offset))).toEqual(origins);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('letters as numbers', () => {
  it('are those of the text, of which any beginning can be had again', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 90 }), (whole, length) => {
        const letters = lettersOf(whole);
        expect([...letters]).toEqual(Array.from({ length: whole.length }, (_, at) => whole.charCodeAt(at)));
        expect(textOf(letters, Math.min(length, whole.length))).toBe(whole.slice(0, length));
      }),
    );
  });
});

describe('a search that repetition cannot slow down', () => {
  const some = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 });
  const times = fc.integer({ min: 3, max: 30 });
  // The text and what is looked for repeat the same part, more than 32 letters of it as a rule, and differ in what comes between.
  const both = fc.tuple(some, some, some, times, times, times).map(([part, between, end, many, few, again]) => ({
    whole: (part.repeat(many) + between).repeat(again),
    sought: [part.repeat(few), end, between + part.repeat(many)].slice(0, 1 + (again % 3)).join(''),
  }));

  it('S4: tells every place of periodic texts, or as many apart as are asked for', () => {
    fc.assert(
      fc.property(both, fc.integer({ min: 1, max: 9 }), ({ whole, sought }, step) => {
        const found: number[] = [];
        searchText(whole, sought, (offset) => (found.push(offset) < 40 ? offset + step : STOP));
        const places: number[] = [];
        for (let at = whole.indexOf(sought); at !== -1; at = whole.indexOf(sought, at + step)) places.push(at);
        expect(found).toEqual(places.slice(0, 40));
      }),
      { numRuns: 2000 },
    );
  });
});
