import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, changeDigest } from '../../../../src/core/edits/digest.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { editOf } from './samples.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('changeDigest', () => {
  it('is the SHA-256 of exactly the canonical array', () => {
    const change = editOf('a\nb\r\nc\n', 'b', 'é"');
    expect(change.digest).toBe(
      sha256(
        '["countersign-v1","edit","file.txt",null,"100644","100644",{"after":["c\\n"],"before":["a\\n"],"new":["é\\"\\r\\n"],"old":["b\\r\\n"]}]',
      ),
    );
  });

  it('covers blobs for files that are not text, and one blob for a read', () => {
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

  it('ignores unrelated lines and changes with each displayed line (S94)', () => {
    const digest = (head: string, around: string) =>
      editOf(`${head}1\n2\n${around}\nold\n4\n5\n6\n`, 'old', 'new').digest;
    expect(digest('x\n', '3')).toBe(digest('y\nz\n', '3'));
    expect(digest('x\n', '3')).not.toBe(digest('x\n', '3 '));
  });

  it('is valid JSON with sorted keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.array(fc.string({ unit: anyCharacter }))), (value) => {
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
