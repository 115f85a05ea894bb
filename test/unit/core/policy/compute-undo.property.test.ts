import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDelete, buildMove } from '../../../../src/core/edits/build/build-files.ts';
import {
  type BlobRef,
  ChangePayloadSchema,
  type FileChange,
  type StoredFile,
  singleChange,
} from '../../../../src/core/edits/change.ts';
import { applyRegion, composeFile, regionRange } from '../../../../src/core/edits/region.ts';
import { blobSha, decodeText } from '../../../../src/core/edits/text/characters.ts';
import { computeUndo } from '../../../../src/core/policy/compute-undo.ts';
import type { FileAtHead } from '../../../../src/core/state/head-changes.ts';
import { anyText, changeOf, editOf, rewriteOf, rewritten, stored } from '../edits/samples.ts';

const anyMode = fc.constantFrom<BlobRef['mode']>('100644', '100755');

const anyFile = fc.oneof(
  fc.tuple(anyText, anyMode).map(([text, mode]): StoredFile => stored(text, mode)),
  fc.tuple(fc.uint8Array(), anyMode).map(([some, mode]): StoredFile => {
    const bytes = Uint8Array.of(0, ...some);
    return { ref: { blob: blobSha(bytes), mode }, bytes };
  }),
);

function atHead({ ref, bytes }: StoredFile): FileAtHead {
  const decoded = decodeText(bytes);
  return { ...ref, text: decoded.kind === 'text' ? decoded.text : null };
}

/** The reverse of an applied change while the head still has its result. */
function undone(change: FileChange, files: Readonly<Record<string, StoredFile>>): FileChange | string {
  const { region } = change;
  const range = region === null ? null : regionRange(region);
  const head = Object.fromEntries(Object.entries(files).map(([path, file]) => [path, atHead(file)]));
  const members = [{ change, range, appCommits: [] }];
  const result = computeUndo({ id: 'k7q2', change: singleChange(change), members }, head);
  if (result.kind !== 'change') return result.kind;
  const [reverse] = result.change.members;
  expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(reverse.payload)))).toEqual(reverse.payload);
  expect(result.change).toEqual(singleChange(reverse));
  return reverse;
}

function reversed(change: FileChange, files: Readonly<Record<string, StoredFile>>): FileChange {
  const result = undone(change, files);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

describe('the undo of a change', () => {
  it('restores a deleted file with its bytes and mode; undoing that is the same deletion again (S92)', () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        const deletion = changeOf(buildDelete({ path: 'a', repositoryName: 'shop', file }));
        const back = reversed(deletion, {});
        expect(back).toMatchObject({ op: 'write', path: 'a', base: null, result: file.ref });
        expect(reversed(back, { a: file }).digest).toBe(deletion.digest);
      }),
    );
  });

  it('moves a file back; undoing that is the same move again (S92)', () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        const move = changeOf(buildMove({ from: 'a', to: 'b/c', repositoryName: 'shop', file }));
        const back = reversed(move, { 'b/c': file });
        expect(back).toMatchObject({ op: 'move', from: 'b/c', path: 'a', base: file.ref, result: file.ref });
        expect(reversed(back, { a: file }).digest).toBe(move.digest);
      }),
    );
  });

  it('gives back the text, also where it was moved as well (S72, S92)', () => {
    fc.assert(
      fc.property(rewritten(anyText), ({ before, after }) => {
        if (before === after) return;
        const moved = buildMove({
          from: 'a',
          to: 'b',
          repositoryName: 'shop',
          file: stored(before),
          after: stored(after),
        });
        expect(reversed(changeOf(moved), { b: stored(after) }).result).toEqual(stored(before).ref);
        const rewrite = rewriteOf(before, after);
        if (rewrite?.region == null) return;
        const head = stored(applyRegion(before, rewrite.region));
        expect(reversed(rewrite, { 'file.txt': head }).result).toEqual(stored(before).ref);
      }),
    );
  });

  it('finds its lines by the commits of the run, also where others touch their context (S94)', () => {
    const text = 'a\nb\nc\nd\ne\n';
    const [first, second] = [editOf(text, 'b', 'B'), editOf(text, 'd', 'D\nD')];
    const regions = [first, second].flatMap(({ region }) => region ?? []);
    const committed = composeFile(text, regions);
    const commit = { blobBefore: stored(text).ref.blob, blobAfter: stored(committed.text).ref.blob, ...committed };
    const members = [{ change: second, range: committed.ranges[1] ?? null, appCommits: [commit] }];
    const applied = { id: 'k7q2', change: singleChange(second), members };
    const result = computeUndo(applied, { 'file.txt': atHead(stored(committed.text)) });
    expect(result).toMatchObject({ change: { members: [{ result: stored('a\nB\nc\nd\ne\n').ref }] } });
  });

  it('never writes lines that differ from the deleted blob (S91)', () => {
    const deletion = changeOf(buildDelete({ path: 'a', repositoryName: 'shop', file: stored('one\ntwo\n') }));
    const region = deletion.region && { ...deletion.region, old: ['one\n'] };
    expect(undone({ ...deletion, region }, {})).toBe('changed-since');
  });
});
