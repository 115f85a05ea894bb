import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import { buildDelete } from '../../src/change/build-delete.ts';
import { buildMove } from '../../src/change/build-move.ts';
import type { BlobRef, Change } from '../../src/change/change.ts';
import { changeDigest } from '../../src/change/digest.ts';
import { Payload } from '../../src/change/payload.ts';
import type { StoredFile } from '../../src/change/refusals.ts';
import { undoDeletion, undoMove, undoNew, undoRestoration } from '../../src/change/undo-whole.ts';
import { anyText, changeOf, stored } from './samples.ts';

const anyMode = fc.constantFrom<BlobRef['mode']>('100644', '100755');

function deletionOf(file: StoredFile): Change {
  return changeOf(buildDelete({ path: 'a.txt', sandbox: 'shop', file }));
}

describe('the reverse of a whole file', () => {
  it('S92: a deleted text comes back with its bytes and mode, and that undone is the very deletion again', () => {
    fc.assert(
      fc.property(anyText, anyMode, (text, mode) => {
        const file = stored(text, mode);
        const undone = deletionOf(file);
        const built = undoDeletion({ id: 'k7q2', undone });
        const back = built === null ? null : changeOf(built);
        expect(back).toMatchObject({ op: 'write', base: null, result: file.ref });
        if (back === null) return;
        expect(changeOf(undoNew({ id: 'a2b3', undone: back }, file)).digest).toBe(undone.digest);
      }),
    );
  });

  it('S73, S92: what is not text comes back as its blob, under the digest that names it, and goes again when undone', () => {
    fc.assert(
      fc.property(fc.uint8Array(), anyMode, (bytes, mode) => {
        const file = { ref: { blob: blobSha(Uint8Array.of(0, ...bytes)), mode }, bytes: Uint8Array.of(0, ...bytes) };
        const undone = deletionOf(file);
        const built = undoDeletion({ id: 'k7q2', undone });
        const back = built === null ? null : changeOf(built);
        expect(back).toMatchObject({ op: 'write', base: null, result: file.ref, region: null });
        if (back === null) return;
        expect(Payload.parse(JSON.parse(JSON.stringify(back.payload)))).toEqual(back.payload);
        expect(back.digest).toBe(
          changeDigest({
            op: 'write',
            path: 'a.txt',
            fromPath: null,
            oldMode: null,
            newMode: mode,
            body: { kind: 'blobs', oldBlob: null, newBlob: file.ref.blob },
          }),
        );
        const again = undoRestoration({ id: 'a2b3', undone: back });
        expect(again === null ? null : changeOf(again).digest).toBe(undone.digest);
      }),
    );
  });

  it('S91: what is not of its kind has no reverse', () => {
    const written = changeOf(buildMove({ from: 'a', to: 'b', sandbox: 'shop', file: stored('x\n') }));
    expect(undoRestoration({ id: 'k7q2', undone: written })).toBeNull();
    expect(undoDeletion({ id: 'k7q2', undone: written })).toBeNull();
  });

  it('S91: lines that are not those of the deleted blob are never written', () => {
    const undone = deletionOf(stored('one\ntwo\n'));
    const { region } = undone;
    const other = region === null ? null : { ...region, old: ['one\n'] };
    expect(undoDeletion({ id: 'k7q2', undone: { ...undone, region: other } })).toBeNull();
  });

  it('S92: a move back, undone, is the very move again', () => {
    fc.assert(
      fc.property(anyText, anyMode, (text, mode) => {
        const file = stored(text, mode);
        const undone = changeOf(buildMove({ from: 'a', to: 'b/c', sandbox: 'shop', file }));
        const back = undoMove({ id: 'k7q2', undone });
        const again = back === null ? null : undoMove({ id: 'a2b3', undone: changeOf(back) });
        expect(again === null ? null : changeOf(again).digest).toBe(undone.digest);
      }),
    );
  });
});
