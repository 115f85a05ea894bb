import { Buffer } from 'node:buffer';
import {
  type GitFileMode,
  type GitObjectStore,
  type GitSignature,
  isGitFileMode,
  memoizePerStore,
  putBlob,
  putGitCommit,
  putObject,
  readObject,
  type Sha,
} from './objects.ts';

/** Changes by path: the new entry, or null to delete. */
type TreeChanges = ReadonlyMap<string, TreeObjectEntry | null>;

type DirectoryChanges = {
  readonly entries: Map<string, TreeObjectEntry | null>;
  readonly subdirectories: Map<string, DirectoryChanges>;
};

/**
 * Applies changes to a tree and stores only the changed directories. Removes empty directories. A new directory replaces
 * a file of the same name.
 */
export function updateTree(store: GitObjectStore, base: Sha | undefined, changes: TreeChanges): Sha {
  return putDirectory(
    store,
    applyDirectoryChanges(store, readDirectoryOrEmpty(store, base), groupByDirectory(changes)),
  );
}

/** Lists the files, symbolic links and submodules of a tree by path, in git’s order. */
export function listTreeEntries(store: GitObjectStore, tree: Sha, directories: 'with directories' | 'files' = 'files') {
  const entries = new Map<string, TreeObjectEntry>();
  collectEntries(store, tree, '', directories === 'with directories', entries);
  return entries;
}

export function findTreeEntry(store: GitObjectStore, tree: Sha, path: string): TreeObjectEntry | undefined {
  let entry: TreeObjectEntry | undefined = { mode: '040000', sha: tree };
  for (const name of path.split('/')) {
    if (entry?.mode !== '040000') return undefined;
    entry = readDirectoryOrEmpty(store, entry.sha).get(name);
  }
  return entry;
}

function collectEntries(
  store: GitObjectStore,
  tree: Sha,
  prefix: string,
  withDirectories: boolean,
  into: Map<string, TreeObjectEntry>,
) {
  for (const [name, entry] of readDirectoryOrEmpty(store, tree)) {
    const path = `${prefix}${name}`;
    const isDirectory = entry.mode === '040000';
    if (!isDirectory || withDirectories) into.set(path, entry);
    if (isDirectory) collectEntries(store, entry.sha, `${path}/`, withDirectories, into);
  }
}

function createDirectoryChanges(): DirectoryChanges {
  return { entries: new Map(), subdirectories: new Map() };
}

function groupByDirectory(changes: TreeChanges): DirectoryChanges {
  const root = createDirectoryChanges();
  for (const [path, entry] of changes) {
    const names = path.split('/');
    const last = names.pop() ?? path;
    let changes = root;
    for (const name of names) {
      const next = changes.subdirectories.get(name) ?? createDirectoryChanges();
      changes.subdirectories.set(name, next);
      changes = next;
    }
    changes.entries.set(last, entry);
  }
  return root;
}

function applyDirectoryChanges(
  store: GitObjectStore,
  directory: GitDirectory,
  changes: DirectoryChanges,
): GitDirectory {
  const result = new Map(directory);
  for (const [name, entry] of changes.entries) {
    if (entry === null) result.delete(name);
    else result.set(name, entry);
  }
  for (const [name, subdirectory] of changes.subdirectories) applySubdirectory(store, result, name, subdirectory);
  return result;
}

function applySubdirectory(
  store: GitObjectStore,
  result: Map<string, TreeObjectEntry>,
  name: string,
  subdirectory: DirectoryChanges,
): void {
  const existing = result.get(name);
  const before =
    existing?.mode === '040000' ? readDirectoryOrEmpty(store, existing.sha) : new Map<string, TreeObjectEntry>();
  const after = applyDirectoryChanges(store, before, subdirectory);
  if (after.size > 0) result.set(name, { mode: '040000', sha: putDirectory(store, after) });
  else if (existing?.mode === '040000') result.delete(name);
}

/** The mode and object id of a tree entry. */
export type TreeObjectEntry = { readonly mode: GitFileMode; readonly sha: Sha };

/** Entries by name, in git’s order. */
type GitDirectory = ReadonlyMap<string, TreeObjectEntry>;

const EMPTY_DIRECTORY: GitDirectory = new Map();

/** Stores a directory. Git sorts names by their bytes, as if directory names ended with a slash. */
function putDirectory(store: GitObjectStore, directory: GitDirectory): Sha {
  const rows = [...directory].map(([name, entry]) => ({ name: Buffer.from(name), entry, key: sortKey(name, entry) }));
  rows.sort((left, right) => Buffer.compare(left.key, right.key));
  const parts = rows.flatMap(({ name, entry }) => [
    Buffer.from(`${entry.mode.replace(/^0/, '')} `),
    name,
    Buffer.from([0]),
    Buffer.from(entry.sha, 'hex'),
  ]);
  return putObject(store, 'tree', Buffer.concat(parts));
}

export const readDirectory: (store: GitObjectStore, sha: Sha) => GitDirectory | undefined = memoizePerStore(
  (store, sha = '') => {
    const bytes = readObject(store, 'tree', sha);
    return bytes === undefined ? undefined : decodeDirectory(Buffer.from(bytes));
  },
);

/** Returns an empty directory for an unknown id. */
export function readDirectoryOrEmpty(store: GitObjectStore, sha: Sha | undefined): GitDirectory {
  return (sha === undefined ? undefined : readDirectory(store, sha)) ?? EMPTY_DIRECTORY;
}

function sortKey(name: string, entry: TreeObjectEntry): Buffer {
  return Buffer.from(entry.mode === '040000' ? `${name}/` : name);
}

function decodeDirectory(bytes: Buffer): GitDirectory {
  const directory = new Map<string, TreeObjectEntry>();
  let offset = 0;
  while (offset < bytes.length) {
    const space = bytes.indexOf(0x20, offset);
    const end = bytes.indexOf(0, space);
    const mode = bytes.toString('latin1', offset, space).padStart(6, '0');
    const name = bytes.toString('utf8', space + 1, end);
    if (isGitFileMode(mode)) directory.set(name, { mode, sha: bytes.toString('hex', end + 1, end + 21) });
    offset = end + 21;
  }
  return directory;
}

/** Files by path. `bytes` are the target of a symbolic link, or the commit id of a submodule in hex. */
export type GitFiles = ReadonlyMap<string, { readonly mode: GitFileMode; readonly bytes: Uint8Array }>;

/** Stores files as a complete tree. */
export function putFiles(store: GitObjectStore, files: GitFiles): Sha {
  const entries = new Map<string, TreeObjectEntry>();
  for (const [path, { mode, bytes }] of files) {
    const sha = mode === '160000' ? new TextDecoder().decode(bytes).trim() : putBlob(store, bytes);
    entries.set(path, { mode, sha });
  }
  return updateTree(store, undefined, entries);
}

export function putCommitOfFiles(
  store: GitObjectStore,
  commit: {
    readonly files: GitFiles;
    readonly parents: readonly Sha[];
    readonly author: GitSignature;
    readonly message: string;
  },
): Sha {
  const { files, parents, author, message } = commit;
  const tree = putFiles(store, files);
  return putGitCommit(store, { tree, parents, author, committer: author, signature: null, message });
}
