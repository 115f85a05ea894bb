import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLineRun,
  createLineTable,
  findLineRuns,
  isLineRunAt,
  lineIndexAt,
  linesAt,
} from '../../../../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../../../../src/core/edits/text/lines.ts';
import { anyText } from '../samples.ts';

describe('createLineTable', () => {
  it('has the lines of splitLines at every index', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -3, max: 20 }), fc.integer({ min: -3, max: 20 }), (text, from, to) => {
        const [lines, table] = [splitLines(text), createLineTable(text)];
        expect(table.lineCount).toBe(lines.length);
        expect(linesAt(table, from, to)).toEqual(lines.slice(Math.max(0, from), Math.max(0, to)));
        for (const [index, line] of lines.entries()) {
          const start = table.offsetAt(index);
          expect(lineIndexAt(table, start)).toBe(index);
          expect(lineIndexAt(table, start + line.length - 1)).toBe(index);
        }
        expect(table.offsetAt(lines.length)).toBe(text.length);
        expect(lineIndexAt(table, text.length)).toBe(lines.length);
      }),
    );
  });

  it('works for long texts, code units of any size and any number of look-ups', () => {
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
        const table = createLineTable(text);
        expect(table.lineCount).toBe(lines.length);
        const before = text.slice(0, offset);
        const index = offset >= text.length ? lines.length : before.split('\n').length - 1;
        expect(lineIndexAt(table, offset)).toBe(index);
        const starts = lines.map((_, at) => lines.slice(0, at).join('').length);
        expect(lines.map((_, at) => table.offsetAt(at))).toEqual(starts);
        expect(starts.map((start) => lineIndexAt(table, start))).toEqual(lines.map((_, at) => at));
        expect(table.offsetAt(lines.length)).toBe(text.length);
      }),
      { numRuns: 300 },
    );
  });

  it('finds a run of lines only where all its lines are whole (S94)', () => {
    const few = fc.array(fc.constantFrom('a\n', 'aa\n', '\n', 'a\r\n'), { maxLength: 12 });
    const last = fc.constantFrom('', 'a', 'aa');
    fc.assert(
      fc.property(few, last, few, last, fc.nat({ max: 3 }), (lines, end, needle, open, most) => {
        const all = [...lines, ...(end === '' ? [] : [end])];
        const run = [...needle.slice(0, 3), ...(open === '' ? [] : [open])];
        const isAt = (index: number) => run.every((line, at) => line === all[index + at]);
        const places = all.flatMap((_, index) => (run.length > 0 && isAt(index) ? [index] : []));
        const table = createLineTable(all.join(''));
        expect(findLineRuns(table, createLineRun(run), most + 1)).toEqual(places.slice(0, most + 1));
        expect(
          all.flatMap((_, index) => (run.length > 0 && isLineRunAt(table, index, createLineRun(run)) ? [index] : [])),
        ).toEqual(places);
      }),
      { numRuns: 400 },
    );
  });
});
