import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import { lineTable, offsetAt } from '../../src/change/line-table.ts';
import { regionAt, regionBetween } from '../../src/change/region.ts';
import { rewrittenBlob, rewrittenSpan, unfitRewrite } from '../../src/change/rewritten.ts';
import { encodeText } from '../../src/change/text.ts';
import { anyText, rewrite, stored } from './samples.ts';

/** Few letters, so that what is written repeats what stands there. */
const few = fc.array(fc.constantFrom('a', '\n', '\n', 'a\n', '\r\n'), { maxLength: 30 }).map((all) => all.join(''));

describe('a file of which one place is written anew', () => {
  it('differs where comparing all of it says, however far one has to look behind the place', () => {
    const room = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(few, fc.nat({ max: 30 }), fc.nat({ max: 8 }), few, room, (text, start, length, fresh, letters) => {
        const from = Math.min(start, text.length);
        const place = { start: from, end: Math.min(from + length, text.length), text: fresh };
        const base = lineTable(text);
        const span = rewrittenSpan(base, place, letters);
        expect(span === null ? null : regionAt(span, base)).toEqual(regionBetween(text, rewrite(text, place)));
      }),
      { numRuns: 5000 },
    );
  });

  it('finds where copies of a line that stands a hundred thousand times begin to differ', () => {
    const text = `${'same\n'.repeat(100_000)}other\n`;
    const base = lineTable(text);
    const span = rewrittenSpan(base, { start: 5, end: 5, text: 'same\nsame\n' });
    expect(span).toEqual({ index: 100_000, end: 100_000, fresh: 'same\nsame\n' });
    expect(rewrittenSpan(base, { start: 5, end: 10, text: 'same\n' })).toBeNull();
  });

  it('S91: has the blob of all its bytes, and their number decides whether it is too large', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 14 }), fc.nat({ max: 3 }), anyText, (text, index, height, fresh) => {
        const base = lineTable(text);
        const at = (line: number) => offsetAt(base, Math.min(line, base.count));
        const place = { start: at(index), end: at(index + height), text: fresh };
        const rewritten = { file: stored(text), base, place };
        expect(rewrittenBlob(rewritten)).toBe(blobSha(encodeText(rewrite(text, place))));
        expect(unfitRewrite('a', rewritten)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('E10: cannot become larger than any file may be, by its bytes and not its letters', () => {
    const text = `${'é'.repeat(999_990)}\nabc\n`;
    const rewritten = (fresh: string) => {
      return { file: stored(text), base: lineTable(text), place: { start: 999_991, end: 999_995, text: fresh } };
    };
    expect(unfitRewrite('a', rewritten(`${'b'.repeat(18)}\n`))).toBeNull();
    expect(unfitRewrite('a', rewritten(`${'b'.repeat(19)}\n`))).toMatch(/would have 2000001 bytes/);
    expect(unfitRewrite('a', rewritten('\0\n'))).toMatch(/NUL/);
    expect(unfitRewrite('a', rewritten('\u{D800}\n'))).toMatch(/surrogate/);
  });
});
