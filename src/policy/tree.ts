import { pathAndParents } from './fold.ts';

/** One entry of a recursive listing: git's mode, the object's SHA-1, and the size in bytes where it is a file. */
export type TreeEntry = { readonly mode: string; readonly sha: string; readonly size: number | null };

/** A complete recursive listing of a commit's tree by path, directories (mode 040000) included. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** What a git mode stands for. */
export type EntryKind = 'file' | 'directory' | 'link' | 'submodule' | 'other';

const KINDS: Readonly<Record<string, EntryKind>> = {
  '100644': 'file',
  '100755': 'file',
  '040000': 'directory',
  '120000': 'link',
  '160000': 'submodule',
};

/** What an entry of a tree is. */
export function kindOf(entry: TreeEntry): EntryKind {
  return KINDS[entry.mode] ?? 'other';
}

/** The tree without a file, and without the directories that held nothing else. */
export function treeWithout(tree: Tree, path: string): Tree {
  const rest = new Map(tree);
  rest.delete(path);
  for (const parent of pathAndParents(path).slice(0, -1).toReversed()) {
    if ([...rest.keys()].some((other) => other.startsWith(`${parent}/`))) break;
    rest.delete(parent);
  }
  return rest;
}
