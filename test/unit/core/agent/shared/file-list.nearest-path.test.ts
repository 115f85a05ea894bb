import { describe, expect, it } from 'vitest';
import { fileNotFoundText, findNearestPaths } from '../../../../../src/core/agent/shared/file-list.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import type { Tree } from '../../../../../src/core/step/ports.ts';

function treeOf(paths: readonly string[], mode = '100644'): Tree {
  return new Map(paths.map((path) => [path, { mode, sha: '0'.repeat(40), size: 1 }] as const));
}

function known(tree: Tree) {
  return { tree, rules: DEFAULT_SETTINGS };
}

describe('findNearestPaths', () => {
  const tree = treeOf(['src/total.ts', 'lib/total.ts', 'src/cart/total.ts', 'src/totals.ts', 'src/price.ts', '.env']);

  it('finds the same name elsewhere first, the directories that fit best before others, then slips (S154)', () => {
    expect(findNearestPaths(known(tree), 'src/cart/totel.ts')).toEqual([
      'src/cart/total.ts',
      'src/total.ts',
      'lib/total.ts',
    ]);
    expect(findNearestPaths(known(tree), 'lib/cart/total.ts')[0]).toBe('src/cart/total.ts');
    expect(findNearestPaths(known(tree), 'Price.ts')).toEqual(['src/price.ts']);
    expect(findNearestPaths(known(tree), 'src/invoice.ts')).toEqual([]);
  });

  it('never names a file that may not be read, a link or a directory (S154, I4)', () => {
    expect(findNearestPaths(known(tree), '.enw')).toEqual([]);
    expect(findNearestPaths(known(treeOf(['a/deploy.key', 'A/DEPLOY.KEY'])), 'deploy.kei')).toEqual([]);
    for (const mode of ['120000', '160000', '040000'])
      expect(findNearestPaths(known(treeOf(['a/total.ts'], mode)), 'total.ts')).toEqual([]);
  });

  it('the output names them, or says what else to do (S154)', () => {
    expect(fileNotFoundText(known(tree), 'src/totl.ts', 'Use write_file to create it.')).toBe(
      'File not found: src/totl.ts. Nearest: src/total.ts, src/cart/total.ts, lib/total.ts.',
    );
    expect(fileNotFoundText(known(tree), 'x', 'Use write_file to create it.')).toBe(
      'File not found: x. Use write_file to create it.',
    );
    expect(fileNotFoundText(known(treeOf(['a/b\nc.ts'])), 'bc.ts')).toBe(
      'File not found: bc.ts. Nearest: "a/b\\nc.ts".',
    );
  });
});
