import { putBlob } from './blob.ts';
import { putCommit, type Signature } from './commit-object.ts';
import type { FileMode } from './file-mode.ts';
import type { ObjectStore, Sha } from './object-store.ts';
import type { TreeEntry } from './tree-object.ts';
import { updateTree } from './trees.ts';

/** Files by path. A submodule's bytes are the hex id of its commit, a link's bytes its target. */
export type Files = ReadonlyMap<string, { readonly mode: FileMode; readonly bytes: Uint8Array }>;

/** Stores files as a whole tree: how a real repository's content is loaded. */
export function treeOfFiles(store: ObjectStore, files: Files): Sha {
  const entries = new Map<string, TreeEntry>();
  for (const [path, { mode, bytes }] of files) {
    const sha = mode === '160000' ? new TextDecoder().decode(bytes).trim() : putBlob(store, bytes);
    entries.set(path, { mode, sha });
  }
  return updateTree(store, undefined, entries);
}

/** Stores a commit whose tree holds exactly `files`. */
export function commitFiles(
  store: ObjectStore,
  commit: {
    readonly files: Files;
    readonly parents: readonly Sha[];
    readonly author: Signature;
    readonly message: string;
  },
): Sha {
  const { files, parents, author, message } = commit;
  const tree = treeOfFiles(store, files);
  return putCommit(store, { tree, parents, author, committer: author, signature: null, message });
}
