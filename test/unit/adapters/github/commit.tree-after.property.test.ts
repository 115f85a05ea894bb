import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createObjectStore, type GitFileMode } from '../../../../fakes/github/git/objects.ts';
import { type GitFiles, listTreeEntries, putFiles } from '../../../../fakes/github/git/trees.ts';
import { treeAfter } from '../../../../src/adapters/github/commit.ts';
import { blobSha } from '../../../../src/core/edits/text/characters.ts';
import type { FileWrite } from '../../../../src/core/step/ports.ts';

/** Names whose order in git is not that of their letters, beside directories. */
const NAMES = ['a', 'a.b', 'a-b', 'a0', 'é', '𝒳', 'ﬁ'];

const PATHS = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => [...names.slice(0, -1).map((name) => `${name}_`), names.at(-1)].join('/'));

const FILES = fc.dictionary(
  PATHS,
  fc.record({ mode: fc.constantFrom<GitFileMode>('100644', '100755', '120000'), text: fc.string() }),
);

const NEW_FILES = fc.dictionary(
  PATHS,
  fc.record({ mode: fc.constantFrom('100644' as const, '100755' as const), text: fc.string() }),
  { minKeys: 1 },
);

type Files = Readonly<Record<string, { readonly mode: GitFileMode; readonly text: string }>>;

function treeOf(files: Files) {
  const store = createObjectStore();
  const stored: GitFiles = new Map(
    Object.entries(files).map(([path, { mode, text }]) => [path, { mode, bytes: Buffer.from(text) }]),
  );
  const sha = putFiles(store, stored);
  const entries = [...listTreeEntries(store, sha, 'with directories')].map(([path, entry]) => {
    const file = files[path];
    return [path, { ...entry, size: file === undefined ? null : Buffer.byteLength(file.text) }] as const;
  });
  return { sha, tree: new Map(entries) };
}

describe('the tree after the writes of a commit', () => {
  it('is the one that git makes of the files, with its SHA (B20)', () => {
    fc.assert(
      fc.property(FILES, NEW_FILES, fc.boolean(), (files, written, deletesOthers) => {
        const others = Object.keys(files).filter((path) => !Object.hasOwn(written, path));
        const deleted = deletesOthers ? others.slice(1) : [];
        const writes: readonly FileWrite[] = [
          ...deleted.map((path) => ({ path, mode: '100644', content: { kind: 'deleted' } }) as const),
          ...Object.entries(written).map(
            ([path, { mode, text }]) =>
              ({ path, mode, content: { kind: 'bytes', bytes: Buffer.from(text) } }) satisfies FileWrite,
          ),
        ];
        const kept = Object.fromEntries(Object.entries(files).filter(([path]) => !deleted.includes(path)));
        const expected = treeOf({ ...kept, ...written });
        const { sha, tree } = treeAfter(treeOf(files).tree, writes);
        expect(sha).toBe(expected.sha);
        expect(new Map(tree)).toEqual(expected.tree);
      }),
    );
  });

  it('has a moved file under its new name, and no directory that became empty (B20)', () => {
    const before = treeOf({ 'a_/one': { mode: '100755', text: 'x' }, two: { mode: '100644', text: '' } });
    const moved = treeAfter(before.tree, [
      { path: 'a_/one', mode: '100755', content: { kind: 'deleted' } },
      { path: 'b', mode: '100755', content: { kind: 'blob', sha: blobSha(Buffer.from('x')) } },
    ]);
    const expected = treeOf({ b: { mode: '100755', text: 'x' }, two: { mode: '100644', text: '' } });
    expect(moved.sha).toBe(expected.sha);
    expect(new Map(moved.tree)).toEqual(expected.tree);
  });
});
