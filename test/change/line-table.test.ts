import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineIndexAt, linesAt, lineTable, offsetAt, placesOfLines, standsAt } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
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
        expect(placesOfLines(table, run, most + 1)).toEqual(places.slice(0, most + 1));
        expect(all.flatMap((_, index) => (run.length > 0 && standsAt(table, index, run) ? [index] : []))).toEqual(
          places,
        );
      }),
      { numRuns: 1000 },
    );
  });
});
