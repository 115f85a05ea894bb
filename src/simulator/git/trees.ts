import type { ObjectStore, Sha } from './object-store.ts';
import { type Directory, directoryOf, putDirectory, type TreeEntry } from './tree-object.ts';

/** Changes by path: an entry to set, or null to delete. */
export type TreeChanges = ReadonlyMap<string, TreeEntry | null>;

type Branch = { readonly leaves: Map<string, TreeEntry | null>; readonly below: Map<string, Branch> };

/**
 * The tree that `base` becomes with `changes`; without a base, the tree of just these entries.
 * Directories that lose their last entry vanish. A file gives way to a directory of its name.
 * Costs as much as the directories touched.
 */
export function updateTree(store: ObjectStore, base: Sha | undefined, changes: TreeChanges): Sha {
  return putDirectory(store, applyBranch(store, directoryOf(store, base), toBranch(changes)));
}

/** Every file, link and submodule below a tree, by path, in git's order; `directories` adds the directories. */
export function listTree(store: ObjectStore, tree: Sha, directories: 'with directories' | 'files' = 'files') {
  const entries = new Map<string, TreeEntry>();
  collect(store, tree, '', directories === 'with directories', entries);
  return entries;
}

/** The entry at a path below a tree, or undefined. */
export function entryAt(store: ObjectStore, tree: Sha, path: string): TreeEntry | undefined {
  let entry: TreeEntry | undefined = { mode: '040000', sha: tree };
  for (const name of path.split('/')) {
    if (entry?.mode !== '040000') return undefined;
    entry = directoryOf(store, entry.sha).get(name);
  }
  return entry;
}

function collect(
  store: ObjectStore,
  tree: Sha,
  prefix: string,
  withDirectories: boolean,
  into: Map<string, TreeEntry>,
) {
  for (const [name, entry] of directoryOf(store, tree)) {
    const path = `${prefix}${name}`;
    const isDirectory = entry.mode === '040000';
    if (!isDirectory || withDirectories) into.set(path, entry);
    if (isDirectory) collect(store, entry.sha, `${path}/`, withDirectories, into);
  }
}

function newBranch(): Branch {
  return { leaves: new Map(), below: new Map() };
}

function toBranch(changes: TreeChanges): Branch {
  const root = newBranch();
  for (const [path, entry] of changes) {
    const names = path.split('/');
    const last = names.pop() ?? path;
    let branch = root;
    for (const name of names) {
      const next = branch.below.get(name) ?? newBranch();
      branch.below.set(name, next);
      branch = next;
    }
    branch.leaves.set(last, entry);
  }
  return root;
}

function applyBranch(store: ObjectStore, directory: Directory, branch: Branch): Directory {
  const result = new Map(directory);
  for (const [name, entry] of branch.leaves) {
    if (entry === null) result.delete(name);
    else result.set(name, entry);
  }
  for (const [name, below] of branch.below) applyBelow(store, result, name, below);
  return result;
}

function applyBelow(store: ObjectStore, result: Map<string, TreeEntry>, name: string, below: Branch): void {
  const existing = result.get(name);
  const before = existing?.mode === '040000' ? directoryOf(store, existing.sha) : new Map<string, TreeEntry>();
  const after = applyBranch(store, before, below);
  if (after.size > 0) result.set(name, { mode: '040000', sha: putDirectory(store, after) });
  else if (existing?.mode === '040000') result.delete(name);
}
