import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDelete, buildMove } from '../../../../../src/core/edits/build/build-file-ops.ts';
import { undoCreation, undoDeletion, undoMove, undoRestore } from '../../../../../src/core/edits/build/build-undo.ts';
import type { StoredFile } from '../../../../../src/core/edits/change.ts';
import { type BlobRef, ChangePayloadSchema, type FileChange } from '../../../../../src/core/edits/change.ts';
import { changeDigest } from '../../../../../src/core/edits/digest.ts';
import { blobSha } from '../../../../../src/core/edits/text/characters.ts';
import { anyText, changeOf, stored } from '../samples.ts';

const anyMode = fc.constantFrom<BlobRef['mode']>('100644', '100755');

function deletionOf(file: StoredFile): FileChange {
  return changeOf(buildDelete({ path: 'a.txt', repositoryName: 'shop', file }));
}

describe('undo of whole-file changes', () => {
  it('restores a deleted text with its bytes and mode; undoing that is the same deletion again (S92)', () => {
    fc.assert(
      fc.property(anyText, anyMode, (text, mode) => {
        const file = stored(text, mode);
        const appliedChange = deletionOf(file);
        const built = undoDeletion({ id: 'k7q2', appliedChange });
        const back = built === null ? null : changeOf(built);
        expect(back).toMatchObject({ op: 'write', base: null, result: file.ref });
        if (back === null) return;
        expect(changeOf(undoCreation({ id: 'a2b3', appliedChange: back }, file)).digest).toBe(appliedChange.digest);
      }),
    );
  });

  it('restores any other file as its blob, which the digest covers; undoing that deletes it again (S73, S92)', () => {
    fc.assert(
      fc.property(fc.uint8Array(), anyMode, (bytes, mode) => {
        const file = { ref: { blob: blobSha(Uint8Array.of(0, ...bytes)), mode }, bytes: Uint8Array.of(0, ...bytes) };
        const appliedChange = deletionOf(file);
        const built = undoDeletion({ id: 'k7q2', appliedChange });
        const back = built === null ? null : changeOf(built);
        expect(back).toMatchObject({ op: 'write', base: null, result: file.ref, region: null });
        if (back === null) return;
        expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(back.payload)))).toEqual(back.payload);
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
        const again = undoRestore({ id: 'a2b3', appliedChange: back });
        expect(again === null ? null : changeOf(again).digest).toBe(appliedChange.digest);
      }),
    );
  });

  it('does not undo a change of another kind (S91)', () => {
    const written = changeOf(buildMove({ from: 'a', to: 'b', repositoryName: 'shop', file: stored('x\n') }));
    expect(undoRestore({ id: 'k7q2', appliedChange: written })).toBeNull();
    expect(undoDeletion({ id: 'k7q2', appliedChange: written })).toBeNull();
  });

  it('never writes lines that differ from the deleted blob (S91)', () => {
    const undone = deletionOf(stored('one\ntwo\n'));
    const { region } = undone;
    const other = region === null ? null : { ...region, old: ['one\n'] };
    expect(undoDeletion({ id: 'k7q2', appliedChange: { ...undone, region: other } })).toBeNull();
  });

  it('undoing the undo of a move is the same move again (S92)', () => {
    fc.assert(
      fc.property(anyText, anyMode, (text, mode) => {
        const file = stored(text, mode);
        const appliedChange = changeOf(buildMove({ from: 'a', to: 'b/c', repositoryName: 'shop', file }));
        const back = undoMove({ id: 'k7q2', appliedChange });
        const again = back === null ? null : undoMove({ id: 'a2b3', appliedChange: changeOf(back) });
        expect(again === null ? null : changeOf(again).digest).toBe(appliedChange.digest);
      }),
    );
  });
});
