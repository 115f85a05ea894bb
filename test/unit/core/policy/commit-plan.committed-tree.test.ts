import { describe, expect, it } from 'vitest';
import { blobSha } from '../../../../src/core/edits/text/characters.ts';
import { treeMismatches } from '../../../../src/core/policy/commit-plan.ts';
import type { FileWrite, Tree } from '../../../../src/core/step/ports.ts';

const A = 'a'.repeat(40);

const B = 'b'.repeat(40);

const BYTES = Buffer.from('new\n');

const NEW = blobSha(BYTES);

/** A tree of `path: 'mode blob'`. */
function tree(files: Readonly<Record<string, string>>): Tree {
  return new Map(
    Object.entries(files).map(([path, file]) => {
      const [mode = '', sha = ''] = file.split(' ');
      return [path, { mode, sha, size: null }] as const;
    }),
  );
}

const BEFORE = { src: `040000 ${A}`, 'src/one.ts': `100644 ${A}`, 'run.sh': `100755 ${B}` };

const WRITES: readonly FileWrite[] = [
  { path: 'src/one.ts', mode: '100644', content: { kind: 'bytes', bytes: BYTES } },
  { path: 'run.sh', mode: '100755', content: { kind: 'deleted' } },
  { path: 'bin/run.sh', mode: '100755', content: { kind: 'blob', sha: B } },
];

const AFTER = { src: `040000 ${B}`, 'src/one.ts': `100644 ${NEW}`, bin: `040000 ${B}`, 'bin/run.sh': `100755 ${B}` };

describe('the tree of a commit and the approved writes', () => {
  it('a tree with exactly the approved blobs and modes has no mismatch, with any directories (B20)', () => {
    expect(treeMismatches(WRITES, { before: tree(BEFORE), after: tree(AFTER) })).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['other bytes', { ...AFTER, 'src/one.ts': `100644 ${B}` }, 'src/one.ts'],
    ['the earlier bytes', { ...AFTER, 'src/one.ts': `100644 ${A}` }, 'src/one.ts'],
    ['another mode', { ...AFTER, 'src/one.ts': `100755 ${NEW}` }, 'src/one.ts'],
    ['a link', { ...AFTER, 'src/one.ts': `120000 ${NEW}` }, 'src/one.ts'],
    ['a directory in its place', { ...AFTER, 'src/one.ts': `040000 ${NEW}` }, 'src/one.ts'],
    ['a file that stayed', { ...AFTER, 'run.sh': `100755 ${B}` }, 'run.sh'],
    ['a moved file with another mode', { ...AFTER, 'bin/run.sh': `100644 ${B}` }, 'bin/run.sh'],
    ['a file more', { ...AFTER, 'left.log': `100644 ${A}` }, 'left.log'],
    ['a submodule more', { ...AFTER, lib: `160000 ${A}` }, 'lib'],
  ])('%s is a mismatch (B20)', (_what, after, path) => {
    const found = treeMismatches(WRITES, { before: tree(BEFORE), after: tree(after) });
    expect(found.map((one) => one.path)).toEqual([path]);
  });

  it('a file deleted without approval and a missing write are reported with the expected content (B20)', () => {
    const before = tree({ ...BEFORE, 'kept.txt': `100644 ${A}` });
    const { 'bin/run.sh': _unwritten, ...after } = AFTER;
    expect(treeMismatches(WRITES, { before, after: tree(after) })).toEqual([
      { path: 'bin/run.sh', expected: { blob: B, mode: '100755' }, actual: null },
      { path: 'kept.txt', expected: { blob: A, mode: '100644' }, actual: null },
    ]);
  });
});
