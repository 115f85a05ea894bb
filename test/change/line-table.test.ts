import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lineIndexAt,
  linesAt,
  lineTable,
  offsetAt,
  placesOfLines,
  standsAt,
  stretchOf,
} from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { encodeText } from '../../src/change/text.ts';
import { anyText } from './samples.ts';

describe('the table of a text’s lines', () => {
  it('has the lines that splitting gives, wherever one looks', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -3, max: 20 }), fc.integer({ min: -3, max: 20 }), (text, from, to) => {
        const [lines, table] = [splitLines(text), lineTable(text)];
        expect(table.count).toBe(lines.length);
        expect(linesAt(table, from, to)).toEqual(lines.slice(Math.max(0, from), Math.max(0, to)));
        for (const [index, line] of lines.entries()) {
          const start = offsetAt(table, index);
          expect(lineIndexAt(table, start)).toBe(index);
          expect(lineIndexAt(table, start + line.length - 1)).toBe(index);
        }
        expect(offsetAt(table, lines.length)).toBe(text.length);
        expect(lineIndexAt(table, text.length)).toBe(lines.length);
      }),
    );
  });

  it('is the same for long texts, of one byte a letter or two, and however often one looks', () => {
    const piece = fc.constantFrom(
      '\n',
      '\r\n',
      '\v',
      '上',
      'Ċ',
      'a',
      'b'.repeat(255),
      'c'.repeat(300),
      '\n'.repeat(257),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat({ max: 5000 }), (pieces, offset) => {
        const text = pieces.join('');
        const lines = splitLines(text);
        const bytes = encodeText(text);
        const shifted = Buffer.concat([Buffer.from('x'), bytes]).subarray(1);
        for (const table of [lineTable(text), lineTable(text, bytes), lineTable(text, shifted)]) {
          expect(table.count).toBe(lines.length);
          const before = text.slice(0, offset);
          const index = offset >= text.length ? lines.length : before.split('\n').length - 1;
          expect(lineIndexAt(table, offset)).toBe(index);
          const starts = lines.map((_, at) => lines.slice(0, at).join('').length);
          expect(lines.map((_, at) => offsetAt(table, at))).toEqual(starts);
          expect(starts.map((start) => lineIndexAt(table, start))).toEqual(lines.map((_, at) => at));
          expect(offsetAt(table, lines.length)).toBe(text.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('S94: finds a run of lines wherever it stands whole, and nowhere else', () => {
    const few = fc.array(fc.constantFrom('a\n', 'aa\n', '\n', 'a\r\n'), { maxLength: 12 });
    const last = fc.constantFrom('', 'a', 'aa');
    fc.assert(
      fc.property(few, last, few, last, fc.nat({ max: 3 }), (lines, end, sought, open, most) => {
        const all = [...lines, ...(end === '' ? [] : [end])];
        const run = [...sought.slice(0, 3), ...(open === '' ? [] : [open])];
        const stands = (index: number) => run.every((line, at) => line === all[index + at]);
        const places = all.flatMap((_, index) => (run.length > 0 && stands(index) ? [index] : []));
        const table = lineTable(all.join(''));
        expect(placesOfLines(table, stretchOf(run), most + 1)).toEqual(places.slice(0, most + 1));
        expect(
          all.flatMap((_, index) => (run.length > 0 && standsAt(table, index, stretchOf(run)) ? [index] : [])),
        ).toEqual(places);
      }),
      { numRuns: 1000 },
    );
  });
});
