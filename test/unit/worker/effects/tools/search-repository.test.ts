import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../../../src/core/edits/change.ts';
import { blobSha } from '../../../../../src/core/edits/text/characters.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { searchFiles } from '../../../../../src/worker/effects/tools/search-repository.ts';
import { literal } from '../../../core/agent/tools/literal-query.ts';

/** A head with these files, and an archive with other files. */
function workspace(files: Readonly<Record<string, string>>, archived: Readonly<Record<string, string>>) {
  const bytes = new Map(Object.values(files).map((text) => [blobSha(Buffer.from(text)), Buffer.from(text)]));
  const fetched: string[] = [];
  const tree = new Map(
    Object.entries(files).map(([path, text]) => {
      return [path, { mode: '100644', sha: blobSha(Buffer.from(text)), size: text.length }] as const;
    }),
  );
  return {
    fetched,
    searched: {
      tree,
      rules: DEFAULT_SETTINGS,
      gate: { isApproved: () => false, canAsk: true },
      changedFiles: async () => [],
      now: () => 0,
      archive: async () => new Map(Object.entries(archived).map(([path, text]) => [path, Buffer.from(text)])),
      github: {
        fetchBlob: async (sha: string) => {
          fetched.push(sha);
          return bytes.get(sha) ?? Buffer.from('');
        },
      },
    },
  };
}

function numbered(count: number, text: (index: number) => string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index + 100}.txt`, text(index)]));
}

describe('a search (S1a)', () => {
  const plain = numbered(6, (index) => `plain ${index}\n`);

  it('reads files that .gitattributes omits from the archive or changes in it', async () => {
    const files = { ...plain, 'tests/a.txt': 'total\n', 'version.txt': 'total $Format:%h$\n' };
    const { searched, fetched } = workspace(files, { ...plain, 'version.txt': 'total 1a2b3c4\n' });
    expect(await searchFiles(searched, literal('total'), null)).toBe(
      '2 lines contain "total" (2 files):\ntests/a.txt:1:total\nversion.txt:1:total $Format:%h$',
    );
    expect(fetched).toHaveLength(2);
  });

  it('fetches nothing that the archive holds', async () => {
    const { searched, fetched } = workspace(plain, plain);
    expect(await searchFiles(searched, literal('plain 3'), null)).toContain('f103.txt:1:plain 3');
    expect(fetched).toEqual([]);
  });

  it('says where no file matches the glob, because the text may be elsewhere (S142)', async () => {
    const { searched } = workspace({ 'docs/errors.md': 'total\n', 'src/a.ts': 'total\n' }, {});
    expect(await searchFiles(searched, literal('total'), '{documentation,test}/**')).toBe(
      'No line contains "total", because no file matches the glob "{documentation,test}/**": nothing was searched. A glob matches from the root: use **/name to match in every directory. {a,b} stands for alternatives, at most 20 in all.',
    );
    expect(await searchFiles(searched, literal('total'), '{docs,src}/**')).toMatch(/^2 lines contain/);
    expect(await searchFiles(searched, literal('other'), '{docs,src}/**')).toMatch(
      /^No line contains "other" in files/,
    );
  });

  it('reports the number of skipped files if the archive lacks too many', async () => {
    const { searched, fetched } = workspace(
      numbered(60, (index) => `total ${index}\n`),
      {},
    );
    const result = await searchFiles(searched, literal('total'), null);
    expect(result).toContain('50 lines contain "total"');
    expect(result.split('\n').at(-1)).toBe(
      '10 files were not searched (more than one search can fetch; narrow the glob to search them): f150.txt, f151.txt, f152.txt, f153.txt, f154.txt and 5 more',
    );
    expect(fetched).toHaveLength(50);
  });

  const large = `${'x'.repeat(MAX_FILE_BYTES)}\ntotal\n`;
  it.each([
    ['in the whole repository', null, plain],
    ['where a glob names few', '**', {}],
  ])(
    'names the files that it did not search, and why: a text may be there all the same (%s)',
    async (_, glob, more) => {
      const { searched, fetched } = workspace(
        { ...more, 'a/data.csv': large, 'a/icon.txt': 'to\0tal\n', 'ok.txt': 'so\n' },
        more,
      );
      expect(await searchFiles(searched, literal('total'), glob)).toBe(
        [
          `No line contains "total"${glob === null ? '' : ` in files matching "${glob}"`}. The query is literal text, upper and lower case differ.`,
          '1 file was not searched (larger than 512 kB): a/data.csv',
          '1 file was not searched (binary).',
        ].join('\n'),
      );
      expect(fetched).toHaveLength(2);
    },
  );

  it('names only a few skipped files, in a form that differs from a result line', async () => {
    const hostile = `a\nsrc/a.ts:1: total ${'x'.repeat(4_000)}`;
    const { searched } = workspace({ ...numbered(40, () => large), [hostile]: large }, {});
    const result = await searchFiles(searched, literal('total'), null);
    expect(result.split('\n')).toHaveLength(2);
    expect(result).toContain('41 files were not searched (larger than 512 kB): "a\\nsrc/a.ts:1: total xx');
    expect(result.length).toBeLessThan(1_000);
  });
});
