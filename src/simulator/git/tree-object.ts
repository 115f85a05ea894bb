import { Buffer } from 'node:buffer';
import { type FileMode, isFileMode } from './file-mode.ts';
import { type ObjectStore, putObject, readObject, type Sha } from './object-store.ts';
import { rememberPerStore } from './remember.ts';

/** What a name in a tree stands for. */
export type TreeEntry = { readonly mode: FileMode; readonly sha: Sha };

/** One directory: names to entries, in git's order. */
export type Directory = ReadonlyMap<string, TreeEntry>;

const EMPTY: Directory = new Map();

/** Stores one directory; git sorts names as bytes, a directory as if its name ended in a slash. */
export function putDirectory(store: ObjectStore, directory: Directory): Sha {
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

/** The directory with this id, or undefined when there is none. */
export const readDirectory: (store: ObjectStore, sha: Sha) => Directory | undefined = rememberPerStore(
  (store, sha = '') => {
    const bytes = readObject(store, 'tree', sha);
    return bytes === undefined ? undefined : decodeDirectory(Buffer.from(bytes));
  },
);

/** The directory with this id, empty when there is none. */
export function directoryOf(store: ObjectStore, sha: Sha | undefined): Directory {
  return (sha === undefined ? undefined : readDirectory(store, sha)) ?? EMPTY;
}

function sortKey(name: string, entry: TreeEntry): Buffer {
  return Buffer.from(entry.mode === '040000' ? `${name}/` : name);
}

function decodeDirectory(bytes: Buffer): Directory {
  const directory = new Map<string, TreeEntry>();
  let offset = 0;
  while (offset < bytes.length) {
    const space = bytes.indexOf(0x20, offset);
    const end = bytes.indexOf(0, space);
    const mode = bytes.toString('latin1', offset, space).padStart(6, '0');
    const name = bytes.toString('utf8', space + 1, end);
    if (isFileMode(mode)) directory.set(name, { mode, sha: bytes.toString('hex', end + 1, end + 21) });
    offset = end + 21;
  }
  return directory;
}
