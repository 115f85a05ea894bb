import { type JoinedPaths, plainFilePaths, splitPaths } from '../../../core/agent/shared/file-list.ts';
import type { Tree } from '../../../core/state/ports.ts';
import type { Offload } from '../../offload/offload.ts';

/** A tree, and how to compute on its paths. A repository can have 500,000 of them. */
type ListedTree = { readonly tree: Tree; readonly offload: Offload };

const READABLE_PATHS = new WeakMap<Tree, Promise<JoinedPaths>>();

/** Sorted paths of the plain files that tools can read, as one text; kept as long as the tree is. */
export function readablePaths({ tree, offload }: ListedTree): Promise<JoinedPaths> {
  const known = READABLE_PATHS.get(tree);
  if (known !== undefined) return known;
  const paths = offload('sortReadablePaths', plainFilePaths(tree)).then((sorted) => ({ paths: sorted }));
  READABLE_PATHS.set(tree, paths);
  // A later call tries again.
  paths.catch(() => READABLE_PATHS.delete(tree));
  return paths;
}

/** Those of them that match the glob (null: all). */
export async function findReadablePaths(listed: ListedTree, glob: string | null): Promise<readonly string[]> {
  const { paths } = await readablePaths(listed);
  return splitPaths(glob === null ? paths : await listed.offload('matchPaths', { paths, glob }));
}
