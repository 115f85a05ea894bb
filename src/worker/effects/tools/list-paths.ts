import { listReadablePaths, matchPaths } from '../../../core/agent/shared/file-list.ts';
import type { PathRules } from '../../../core/state/settings.ts';
import type { Tree } from '../../../core/step/ports.ts';

/** A tree, and the rules that say which of its paths the model may know. */
type ListedTree = { readonly tree: Tree; readonly rules: PathRules };

/** The listing of a tree under the rules that it was last listed with, as JSON. */
const READABLE_PATHS = new WeakMap<Tree, { readonly underRules: string; readonly paths: readonly string[] }>();

/** Sorted paths of the plain files that tools can read; kept as long as the tree is. */
export function readablePaths({ tree, rules: { rules, operatorRules } }: ListedTree): readonly string[] {
  const underRules = JSON.stringify([rules, operatorRules]);
  const known = READABLE_PATHS.get(tree);
  if (known?.underRules === underRules) return known.paths;
  const paths = listReadablePaths(tree, { rules, operatorRules });
  READABLE_PATHS.set(tree, { underRules, paths });
  return paths;
}

/** Those of them that match the glob (null: all). */
export function findReadablePaths(listed: ListedTree, glob: string | null): readonly string[] {
  const paths = readablePaths(listed);
  return glob === null ? paths : matchPaths(paths, glob);
}
