import { describe, expect, it } from 'vitest';
import { diffTrees } from '../../../../src/cli/git/tree-diff.ts';

const [GOOD, BETTER, EVIL] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];

type Entry = readonly [mode: string, name: string, id: string | undefined];

function treeOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.map(([mode, name, id = '']) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])),
  );
}

/** The paths that differ between two trees, with the mode after. */
async function changesBetween(before: readonly Entry[], after: readonly Entry[]) {
  const trees = new Map([
    ['0'.repeat(40), treeOf(before)],
    ['1'.repeat(40), treeOf(after)],
  ]);
  const read = async (id: string) => ({ kind: 'tree', bytes: trees.get(id) ?? Buffer.alloc(0) }) as const;
  const changes = await diffTrees({ read, close: async () => {} }, '0'.repeat(40), '1'.repeat(40), 10);
  return changes?.map((change) => [change.path, change.after?.mode]);
}

describe('trees that git never writes', () => {
  it('a tree with a name twice has no plain file there, also if an approval names one of the two', async () => {
    const before: readonly Entry[] = [['100644', 'a.ts', GOOD]];
    for (const ids of [
      [EVIL, BETTER],
      [BETTER, EVIL],
      [EVIL, GOOD],
      [GOOD, GOOD],
    ]) {
      const after = ids.map((id): Entry => ['100644', 'a.ts', id]);
      expect(await changesBetween(before, after)).toEqual([['a.ts', 'forged']]);
    }
    const twice = (id: string | undefined): readonly Entry[] => [
      ['100644', 'a.ts', id],
      ['100644', 'a.ts', GOOD],
    ];
    expect(await changesBetween(twice(BETTER), twice(EVIL))).toEqual([['a.ts', 'forged']]);
  });

  it('a name with a slash is no plain file, because another one can be at its path', async () => {
    const changes = await changesBetween([], [['100644', 'src/a.ts', EVIL]]);
    expect(changes).toEqual([['src/a.ts', 'forged']]);
  });

  it('trees that hold each other many times end the comparison, with and without a file at their ends', async () => {
    const idOf = (level: number): string => level.toString(16).padStart(40, '0');
    for (const leaf of [treeOf([]), treeOf([['100644', 'a.ts', EVIL]])]) {
      const read = async (id: string) => {
        const level = Number.parseInt(id, 16);
        const entries = Array.from({ length: 10 }, (_, at): Entry => ['40000', `${at}`, idOf(level - 1)]);
        return { kind: 'tree', bytes: level === 0 ? leaf : treeOf(entries) } as const;
      };
      expect(await diffTrees({ read, close: async () => {} }, null, idOf(12), 600)).toBeNull();
    }
  });

  it('no path is longer than the App changes', async () => {
    expect(await changesBetween([], [['100644', 'x'.repeat(5_000), EVIL]])).toBeUndefined();
  });

  it('a mode with leading zeros, as in old trees, is the same mode', async () => {
    const before: readonly Entry[] = [
      ['040000', 'src', GOOD],
      ['0100644', 'a.ts', GOOD],
    ];
    const after: readonly Entry[] = [
      ['40000', 'src', GOOD],
      ['100644', 'a.ts', GOOD],
    ];
    expect(await changesBetween(before, after)).toEqual([]);
  });
});
