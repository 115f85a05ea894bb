import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import { canonicalJson, changeDigest } from '../../src/change/digest.ts';
import { decodeText, encodeText } from '../../src/change/text.ts';
import { anyText, editOf } from './samples.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('changeDigest', () => {
  it('is SHA-256 over exactly the canonical array of interface 6', () => {
    const change = editOf('a\nb\r\nc\n', 'b', 'é"');
    expect(change.digest).toBe(
      sha256(
        '["countersign-v1","edit","file.txt",null,"100644","100644",{"after":["c\\n"],"before":["a\\n"],"new":["é\\"\\r\\n"],"old":["b\\r\\n"]}]',
      ),
    );
  });

  it('names blobs where a side is not text, and one blob for reading', () => {
    const common = { path: 'p', fromPath: null, oldMode: null, newMode: null } as const;
    const body = { kind: 'blobs', oldBlob: null, newBlob: 'f' } as const;
    expect(changeDigest({ ...common, op: 'write', newMode: '100755', body })).toBe(
      sha256('["countersign-v1","write","p",null,null,"100755",{"newBlob":"f","oldBlob":null}]'),
    );
    expect(changeDigest({ ...common, op: 'read', body: { kind: 'read', blob: 'f' } })).toBe(
      sha256('["countersign-v1","read","p",null,null,null,{"blob":"f"}]'),
    );
    const moved = { ...common, op: 'move', fromPath: 'q', oldMode: '100644', newMode: '100644' } as const;
    expect(changeDigest({ ...moved, body: { kind: 'blobs', oldBlob: 'f', newBlob: 'f' } })).toBe(
      sha256('["countersign-v1","move","p","q","100644","100644",{"newBlob":"f","oldBlob":"f"}]'),
    );
  });

  it('S94: stays the same when unrelated lines move, and changes with each line that is shown', () => {
    const digest = (head: string, around: string) =>
      editOf(`${head}1\n2\n${around}\nold\n4\n5\n6\n`, 'old', 'new').digest;
    expect(digest('x\n', '3')).toBe(digest('y\nz\n', '3'));
    expect(digest('x\n', '3')).not.toBe(digest('x\n', '3 '));
  });

  it('writes what JSON reads, with sorted keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.array(fc.string({ unit: 'binary' }))), (value) => {
        const written = canonicalJson(value);
        expect({ ...JSON.parse(written) }).toEqual({ ...value });
        expect(
          Object.keys(value)
            .sort()
            .every((key, index, keys) => {
              const next = keys[index + 1];
              return (
                next === undefined ||
                written.indexOf(`${JSON.stringify(key)}:`) <= written.lastIndexOf(`${JSON.stringify(next)}:`)
              );
            }),
        ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('bytes', () => {
  it('blobSha is what git says', () => {
    expect(blobSha(new Uint8Array())).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
    expect(blobSha(encodeText('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
  });

  it('E10: text comes back as the same bytes, a byte order mark included', () => {
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
    ['a letter cut off', [0xe2, 0x82], 'not-utf8'],
  ])('E10: %s is not text', (_, bytes, kind) => {
    expect(decodeText(new Uint8Array(bytes)).kind).toBe(kind);
  });

  it('half a surrogate pair is never written', () => {
    expect(() => encodeText('\u{D800}')).toThrow();
  });
});
