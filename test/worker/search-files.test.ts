import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import { searchFiles } from '../../src/worker/search-files.ts';

/** A head with these files, and an archive of it that holds others. */
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
      archive: async () => new Map(Object.entries(archived).map(([path, text]) => [path, Buffer.from(text)])),
      github: {
        blob: async (sha: string) => {
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

describe('S1a: a search', () => {
  const plain = numbered(6, (index) => `plain ${index}\n`);

  it('finds what attributes keep out of the archive, and reads files as they are, not as the archive writes them', async () => {
    const files = { ...plain, 'tests/a.txt': 'total\n', 'version.txt': 'total $Format:%h$\n' };
    const { searched, fetched } = workspace(files, { ...plain, 'version.txt': 'total 1a2b3c4\n' });
    expect(await searchFiles(searched, 'total', null)).toBe(
      '2 lines contain "total" (2 files):\ntests/a.txt:1: total\nversion.txt:1: total $Format:%h$',
    );
    expect(fetched).toHaveLength(2);
  });

  it('fetches nothing that the archive holds', async () => {
    const { searched, fetched } = workspace(plain, plain);
    expect(await searchFiles(searched, 'plain 3', null)).toContain('f103.txt:1: plain 3');
    expect(fetched).toEqual([]);
  });

  it('says how many files it left out where the archive lacks too many', async () => {
    const { searched, fetched } = workspace(
      numbered(60, (index) => `total ${index}\n`),
      {},
    );
    const result = await searchFiles(searched, 'total', null);
    expect(result).toContain('50 lines contain "total"');
    expect(result).toMatch(/\n10 files were not searched: narrow the glob to search them\.$/);
    expect(fetched).toHaveLength(50);
  });
});
