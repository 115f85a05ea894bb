import { describe, expect, it } from 'vitest';
import { formatFileList } from '../../../../../src/core/agent/shared/file-list.ts';
import { formatSearchResults } from '../../../../../src/core/agent/tools/search.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import type { Tree } from '../../../../../src/core/step/ports.ts';
import { findReadablePaths } from '../../../../../src/worker/effects/tools/workspace.ts';
import { literal } from '../../../core/agent/tools/literal-query.ts';

const entry = (mode: string) => ({ mode, sha: 'a'.repeat(40), size: 1 });

const tree: Tree = new Map([
  ['b.ts', entry('100644')],
  ['src', entry('040000')],
  ['src/a.ts', entry('100755')],
  ['link', entry('120000')],
  ['.env', entry('100644')],
]);

/** The output of `list_files`. */
function listed(from: Tree, glob: string | null): string {
  return formatFileList(findReadablePaths({ tree: from, rules: DEFAULT_SETTINGS }, glob), glob);
}

describe('a list of files', () => {
  it('lists readable plain files in order (S1a)', () => {
    expect(listed(tree, null)).toBe('2 files in the repository:\nb.ts\nsrc/a.ts');
    expect(listed(tree, 'src/**')).toBe('1 file matching "src/**":\nsrc/a.ts');
    expect(listed(tree, '.env')).toContain('No files matching ".env"');
  });

  it('understands alternatives, and names that hold braces themselves (S142)', () => {
    const paths = ['a/x.ts', 'a/y.js', 'b/x.ts', 'c/x.ts', '{{name}}/x.ts', 'odd/{p,q}.ts', 'odd/p.ts'];
    const named: Tree = new Map(paths.map((path) => [path, entry('100644')] as const));
    const found = (glob: string) => listed(named, glob).split('\n').slice(1);
    expect(found('{a,b}/**')).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    expect(found('{a,b}')).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    expect(found('{a,{b,c}}/*.{ts,md}')).toEqual(['a/x.ts', 'b/x.ts', 'c/x.ts']);
    expect(found('{{name}}/*')).toEqual(['{{name}}/x.ts']);
    expect(found('odd/{p,q}.ts')).toEqual(['odd/p.ts', 'odd/{p,q}.ts']);
    expect(found(`{${'a,'.repeat(40)}b}{${'/x.ts,'.repeat(40)}/y.js}`)).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    const tooMany = `{${Array.from({ length: 21 }, (_, index) => index).join(',')}}/*`;
    expect(listed(named, tooMany)).toMatch(/^No files matching .* \{a,b\} stands for alternatives, at most 20/);
  });

  it('quotes only the start of a long glob (S124)', () => {
    const glob = '*'.repeat(500);
    expect(listed(tree, `${glob}.no`)).toMatch(/^No files matching "\*{60}…"/);
    expect(formatSearchResults(literal('x'), glob, { found: [], skipped: [], isComplete: true })).toContain(
      ` in files matching "${'*'.repeat(60)}…".`,
    );
  });

  it('limits the number and length of paths', () => {
    const many: Tree = new Map(Array.from({ length: 3000 }, (_, index) => [`file${index}`, entry('100644')] as const));
    expect(listed(many, null)).toContain(
      '3000 files in the repository (showing the first 1000; narrow the glob to see others)',
    );
  });
});
