import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, splitLines } from '../../../../../src/core/edits/text/lines.ts';

const piece = fc.constantFrom('a', 'b', '\n', '\n', 'a\n', 'b\r\n', '\r', '\u{FEFF}', '😀');

const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('splitLines', () => {
  it('keeps terminators, and a CR belongs to its line', () => {
    expect(splitLines('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c']);
    expect(splitLines('')).toEqual([]);
    expect(splitLines('\r')).toEqual(['\r']);
  });

  it('can be joined to the text again', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(splitLines(value).join('')).toBe(value);
        expect(splitLines(value)).toHaveLength(countLines(value));
      }),
    );
  });
});
