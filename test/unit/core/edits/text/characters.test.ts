import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blobSha,
  decodeText,
  encodeText,
  normalizeLineEndings,
} from '../../../../../src/core/edits/text/characters.ts';
import { anyText } from '../samples.ts';

const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r\n', '\r', '\r\r\n', 'c'.repeat(31), '上', '😀');

const text = fc.array(piece, { maxLength: 90 }).map((pieces) => pieces.join(''));

describe('normalizeLineEndings', () => {
  it('replaces CRLF with LF and maps every offset back (S10)', () => {
    fc.assert(
      fc.property(text, (original) => {
        const { text: after, originalOffset } = normalizeLineEndings(original);
        expect(after).toBe(original.replaceAll('\r\n', '\n'));
        let at = 0;
        const origins = Array.from({ length: after.length + 1 }, () => {
          const origin = at;
          at += original.startsWith('\r\n', at) ? 2 : 1;
          return origin;
        });
        expect(origins.map((_, offset) => originalOffset(offset))).toEqual(origins);
      }),
      { numRuns: 400 },
    );
  });
});

describe('bytes', () => {
  it('blobSha is the SHA-1 of git', () => {
    expect(blobSha(new Uint8Array())).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
    expect(blobSha(encodeText('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
  });

  it('text survives encoding, including a byte order mark (E10)', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeText(encodeText(text))).toEqual({ kind: 'text', text });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['NUL', [0x61, 0], 'binary'],
    ['UTF-16', [0xff, 0xfe, 0x61, 0], 'binary'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9], 'not-utf8'],
    ['half a surrogate pair', [0xed, 0xa0, 0x80], 'not-utf8'],
    ['a truncated character', [0xe2, 0x82], 'not-utf8'],
  ])('%s is not text (E10)', (_, bytes, kind) => {
    expect(decodeText(new Uint8Array(bytes)).kind).toBe(kind);
  });

  it('half a surrogate pair is never encoded', () => {
    expect(() => encodeText('\u{D800}')).toThrow();
  });
});
