import type { GitObjectReader } from './objects.ts';
import { GitError } from './run-git.ts';

/** One side of a changed path: git's mode, such as `100644`, and the object's id. */
export type GitTreeEntry = { readonly mode: string; readonly id: string };

/** A path with different content in two trees. A side without the path is null. */
export type PathChange = {
  readonly path: string;
  /** Whether the path is valid UTF-8. If not, `path` contains replacement characters. */
  readonly isUtf8: boolean;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
};

/** Far more than the App's changes of one commit touch. Handmade trees can hold each other and have no end. */
const MAX_DIRECTORIES = 20_000;

/** Several times as long as the App's longest. */
const MAX_PATH_CHARACTERS = 4_096;

/**
 * All paths in which two trees differ. Null if there are more than `maxChanges`, or more or deeper directories than the
 * App changes. A tree that is null is empty. Throws a `GitError` if one is missing.
 */
export async function diffTrees(
  objects: GitObjectReader,
  before: string | null,
  after: string | null,
  maxChanges: number,
): Promise<readonly PathChange[] | null> {
  const changes: PathChange[] = [];
  const pending = [{ prefix: '', before, after }];
  let directories = 0;
  for (let level = pending.pop(); level !== undefined; level = pending.pop()) {
    directories += 1;
    if (directories > MAX_DIRECTORIES) return null;
    const [oldEntries, newEntries] = await Promise.all([
      readTree(objects, level.before),
      readTree(objects, level.after),
    ]);
    for (const name of new Set([...oldEntries.keys(), ...newEntries.keys()])) {
      const entries = { before: oldEntries.get(name) ?? null, after: newEntries.get(name) ?? null };
      if (isSameEntry(entries.before, entries.after)) continue;
      const path = level.prefix + name;
      if (path.length > MAX_PATH_CHARACTERS || changes.length > maxChanges) return null;
      const directory = { before: directoryIdOf(entries.before), after: directoryIdOf(entries.after) };
      if (directory.before !== null || directory.after !== null) pending.push({ prefix: `${path}/`, ...directory });
      const file = { before: fileEntryOf(entries.before), after: fileEntryOf(entries.after) };
      if (file.before !== null || file.after !== null) changes.push({ ...decodePath(path), ...file });
    }
  }
  return changes.length > maxChanges ? null : changes;
}

const DIRECTORY_MODE = '40000';

/**
 * The mode of entries that git never writes: a name that is there twice, or has a slash. Programs read such trees
 * differently.
 */
const FORGED_MODE = 'forged';

const SPACE_BYTE = 0x20;

const HEX_DIGITS_PER_BYTE = 2;

/** Entries by name. Names are decoded as Latin-1, so that invalid UTF-8 names stay distinct. */
type GitTreeEntries = ReadonlyMap<string, GitTreeEntry>;

const EMPTY_TREE: GitTreeEntries = new Map();

async function readTree(objects: GitObjectReader, tree: string | null): Promise<GitTreeEntries> {
  if (tree === null) return EMPTY_TREE;
  const object = await objects.read(tree);
  if (object?.kind !== 'tree') throw new GitError(`tree ${tree} is missing or too large`);
  return parseTree(object.bytes, tree.length / HEX_DIGITS_PER_BYTE);
}

function parseTree(bytes: Buffer, idBytes: number): GitTreeEntries {
  const entries = new Map<string, GitTreeEntry>();
  for (let offset = 0; offset < bytes.length; ) {
    const space = bytes.indexOf(SPACE_BYTE, offset);
    const end = bytes.indexOf(0, space);
    if (space === -1 || end === -1) break;
    const name = bytes.toString('latin1', space + 1, end);
    const id = bytes.toString('hex', end + 1, end + 1 + idBytes);
    const repeated = entries.get(name);
    const isForged = repeated !== undefined || name.includes('/');
    // Git reads modes as numbers, and old trees have leading zeros.
    const mode = isForged ? FORGED_MODE : bytes.toString('latin1', offset, space).replace(/^0+/, '');
    entries.set(name, { mode, id: `${repeated?.id ?? ''}${id}` });
    offset = end + 1 + idBytes;
  }
  return entries;
}

function isSameEntry(before: GitTreeEntry | null, after: GitTreeEntry | null): boolean {
  return before?.id === after?.id && before?.mode === after?.mode;
}

function directoryIdOf(entry: GitTreeEntry | null): string | null {
  return entry?.mode === DIRECTORY_MODE ? entry.id : null;
}

function fileEntryOf(entry: GitTreeEntry | null): GitTreeEntry | null {
  return entry?.mode === DIRECTORY_MODE ? null : entry;
}

function decodePath(latin1: string): Pick<PathChange, 'path' | 'isUtf8'> {
  const bytes = Buffer.from(latin1, 'latin1');
  const path = bytes.toString('utf8');
  return { path, isUtf8: Buffer.from(path, 'utf8').equals(bytes) };
}
