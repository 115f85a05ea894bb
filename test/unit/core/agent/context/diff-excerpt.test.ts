import { describe, expect, it } from 'vitest';
import { selectDiffs } from '../../../../../src/core/agent/context/diff-excerpt.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';

const MAX_BYTES = 2_000;

/** A patch of hunks with ten added rows each, a hundred lines apart. */
function patchOf(hunks: number): string {
  return Array.from({ length: hunks }, (_, n) => {
    const rows = Array.from({ length: 10 }, (_row, at) => `+row ${n * 100 + at}`);
    return [`@@ -${n * 100},0 +${n * 100 + 1},10 @@ function part${n}() {`, ...rows, ''].join('\n');
  }).join('');
}

function file(path: string, patch: string) {
  return { path, previousPath: null, status: 'modified', added: 1, removed: 0, patch };
}

const FILES = [file('a.ts', patchOf(3)), file('b.ts', patchOf(4)), file('c.ts', patchOf(5)), file('z.ts', patchOf(40))];

describe('the diffs of the first request', () => {
  it('R41: hold the file of a thread from its hunk on, with its heading, however long the file is', () => {
    const places = [{ path: 'z.ts', line: 1_505, side: 'RIGHT' }] as const;
    const { files, omitted } = selectDiffs(FILES, MAX_BYTES, DEFAULT_SETTINGS, places);
    const shown = files.find(({ path }) => path === 'z.ts')?.patch ?? '';
    expect(shown).toMatch(/^@@ -1500,0 \+1501,10 @@ function part15\(\) \{\n\+row 1500\n/);
    expect(shown).toMatch(/\n\+row \d+\n\(only a part of the diff of this file\)$/);
    expect(omitted).not.toContain('z.ts');
    expect(Buffer.byteLength(JSON.stringify(files))).toBeLessThan(MAX_BYTES * 1.2);
  });

  it('R41: hold whole files, smallest first, where nobody commented, and name lock files', () => {
    const locks = ['go.sum', 'web/package-lock.json', 'Cargo.lock', '.terraform.lock.hcl'];
    const all = [...locks, 'src/lock.ts'].map((path) => file(path, patchOf(1)));
    const { files, omitted } = selectDiffs([...FILES, ...all], MAX_BYTES, DEFAULT_SETTINGS);
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts', 'c.ts', 'src/lock.ts']);
    expect(omitted).toEqual(['z.ts', ...locks]);
  });

  it('R41: share their room among the files of several threads', () => {
    const places = ['c.ts', 'z.ts'].map((path) => ({ path, line: 305, side: 'RIGHT' }) as const);
    const { files } = selectDiffs(FILES, MAX_BYTES, DEFAULT_SETTINGS, places);
    for (const path of ['c.ts', 'z.ts'])
      expect(files.find((one) => one.path === path)?.patch).toContain('function part3() {');
  });
});
