import { afterAll, describe, expect, it } from 'vitest';
import { formatFileList } from '../../../../../src/core/agent/shared/file-list.ts';
import { formatSearchResults, NO_SEARCH_RESULTS } from '../../../../../src/core/agent/tools/file-search.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import type { Tree } from '../../../../../src/core/step/ports.ts';
import { createGlobMatcher, findReadablePaths } from '../../../../../src/worker/effects/tools/list-paths.ts';
import { type Offload, offloadInline } from '../../../../../src/worker/offload/offload.ts';
import { createOffloadThread } from '../../../../../src/worker/offload/thread.ts';
import { threadCpuSeconds } from '../../../../support/cpu-time.ts';
import { literal } from '../../../core/agent/tools/literal-query.ts';

const entry = (mode: string) => ({ mode, sha: 'a'.repeat(40), size: 1 });

const tree: Tree = new Map([
  ['b.ts', entry('100644')],
  ['src', entry('040000')],
  ['src/a.ts', entry('100755')],
  ['link', entry('120000')],
  ['.env', entry('100644')],
]);

/** The output of `list_files`, computed inline. */
async function listed(from: Tree, glob: string | null): Promise<string> {
  return formatFileList(await findReadablePaths(listing(from, offloadInline), glob), glob);
}

function listing(from: Tree, offload: Offload, now = () => performance.now()) {
  return { tree: from, offload, rules: DEFAULT_SETTINGS, matchGlob: createGlobMatcher(offload, now) };
}

describe('a list of files', () => {
  it('lists readable plain files in order (S1a)', async () => {
    expect(await listed(tree, null)).toBe('2 files in the repository:\nb.ts\nsrc/a.ts');
    expect(await listed(tree, 'src/**')).toBe('1 file matching "src/**":\nsrc/a.ts');
    expect(await listed(tree, '.env')).toContain('No files matching ".env"');
  });

  it('understands alternatives, and names that hold braces themselves (S142)', async () => {
    const paths = ['a/x.ts', 'a/y.js', 'b/x.ts', 'c/x.ts', '{{name}}/x.ts', 'odd/{p,q}.ts', 'odd/p.ts'];
    const named: Tree = new Map(paths.map((path) => [path, entry('100644')] as const));
    const found = async (glob: string) => (await listed(named, glob)).split('\n').slice(1);
    expect(await found('{a,b}/**')).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    expect(await found('{a,b}')).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    expect(await found('{a,{b,c}}/*.{ts,md}')).toEqual(['a/x.ts', 'b/x.ts', 'c/x.ts']);
    expect(await found('{{name}}/*')).toEqual(['{{name}}/x.ts']);
    expect(await found('odd/{p,q}.ts')).toEqual(['odd/p.ts', 'odd/{p,q}.ts']);
    expect(await found(`{${'a,'.repeat(40)}b}{${'/x.ts,'.repeat(40)}/y.js}`)).toEqual(['a/x.ts', 'a/y.js', 'b/x.ts']);
    const tooMany = `{${Array.from({ length: 51 }, (_, index) => index).join(',')}}/*`;
    expect(await listed(named, tooMany)).toMatch(/^No files matching .* \{a,b\} stands for alternatives, at most 50/);
  });

  it('quotes only the start of a long glob (S124)', async () => {
    const glob = '*'.repeat(500);
    expect(await listed(tree, `${glob}.no`)).toMatch(/^No files matching "\*{60}…"/);
    expect(formatSearchResults(literal('x'), glob, NO_SEARCH_RESULTS)).toContain(
      ` in files matching "${'*'.repeat(60)}…".`,
    );
  });

  it('limits the number and length of paths', async () => {
    const many: Tree = new Map(Array.from({ length: 3000 }, (_, index) => [`file${index}`, entry('100644')] as const));
    expect(await listed(many, null)).toContain(
      '3000 files in the repository (showing the first 1000; narrow the glob to see others)',
    );
  });
});

describe('hostile globs', () => {
  it('have four seconds together in one response; later ones are given up at once (S143, S1a)', async () => {
    let [now, matched] = [0, 0];
    const offload: Offload = (name, input) => {
      if (name === 'matchPaths') [now, matched] = [now + 1_900, matched + 1];
      return offloadInline(name, input);
    };
    const files = listing(tree, offload, () => now);
    for (let call = 0; call < 50; call += 1) {
      const matching = findReadablePaths(files, `src/${call}*`);
      if (call < 3) expect(await matching).toEqual([]);
      else await expect(matching).rejects.toMatchObject({ name: 'OffloadError', reason: 'timeout' });
    }
    expect(matched).toBe(3);
    expect(await findReadablePaths(files, null)).toHaveLength(2);
  });
});

describe('a large repository', () => {
  const thread = createOffloadThread({ log: { warn: () => {} } });
  afterAll(() => thread.stop());
  const { offload } = thread;
  const treeOf = (count: number, path: (index: number) => string): Tree =>
    new Map(Array.from({ length: count }, (_, index) => [path(index), entry('100644')] as const));

  it('is listed 50 times without blocking the event loop (S1a)', async () => {
    const files = listing(
      treeOf(100_000, (index) => `src/module${index % 1000}/file${index}.ts`),
      offload,
      // The limit counts elapsed time, which a busy machine uses up.
      () => 0,
    );
    const used = await threadCpuSeconds(async () => {
      for (let call = 0; call < 50; call += 1)
        formatFileList(await findReadablePaths(files, call % 2 === 0 ? null : '*.md'), null);
    });
    expect(used).toBeLessThan(6);
  });

  it('matches a glob that fits almost everywhere in the other thread, within a time limit (S1a)', async () => {
    const [long, end] = ['a'.repeat(240), 'a'.repeat(230)];
    const files = listing(
      treeOf(20_000, (index) => `${long}/${long}/${end}${index}b`),
      offload,
    );
    await findReadablePaths(files, null);
    const used = await threadCpuSeconds(async () => {
      const found = await findReadablePaths(files, `**/*${'a'.repeat(120)}?c*`).catch((error: unknown) => error);
      expect(Array.isArray(found) ? found : String(found)).toEqual(
        Array.isArray(found) ? [] : 'OffloadError: matchPaths took longer than 2000 ms',
      );
    });
    expect(used).toBeLessThan(1);
  });
});
