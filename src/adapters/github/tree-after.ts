import { createHash } from 'node:crypto';
import { blobSha } from '../../core/edits/text/characters.ts';
import type { FileWrite, Tree, TreeEntry } from '../../core/step/ports.ts';

/**
 * The tree that git has after these writes, with its SHA. The SHA covers every name, mode and byte, so that the same one
 * from GitHub proves the whole tree.
 */
export function treeAfter(before: Tree, writes: readonly FileWrite[]): { readonly sha: string; readonly tree: Tree } {
  const tree = new Map(before);
  const changed = [...new Set(writes.flatMap(({ path }) => directoriesAbove(path)))];
  for (const directory of changed) tree.delete(directory);
  for (const write of writes) {
    const entry = writtenEntry(write, before);
    if (entry === null) tree.delete(write.path);
    else tree.set(write.path, entry);
  }
  const inside = new Map<string, [string, TreeEntry][]>(changed.map((directory) => [directory, []]));
  for (const [path, entry] of tree) inside.get(parentOf(path))?.push([path, entry]);
  // Longest first: a directory comes before the one above it, which needs its SHA.
  for (const directory of changed.toSorted((left, right) => right.length - left.length)) {
    const entries = inside.get(directory) ?? [];
    if (directory === '') return { sha: directorySha(entries), tree };
    if (entries.length === 0) continue;
    const entry = { mode: DIRECTORY, sha: directorySha(entries), size: null };
    tree.set(directory, entry);
    inside.get(parentOf(directory))?.push([directory, entry]);
  }
  throw new Error('A commit without writes has no tree of its own');
}

const DIRECTORY = '040000';

/** The directories that a path is in, up to the root, whose name is empty. */
function directoriesAbove(path: string): readonly string[] {
  const parent = parentOf(path);
  return parent === '' ? [''] : [parent, ...directoriesAbove(parent)];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Null for a deleted file. */
function writtenEntry({ mode, content }: FileWrite, before: Tree): TreeEntry | null {
  switch (content.kind) {
    case 'bytes':
      return { mode, sha: blobSha(content.bytes), size: content.bytes.length };
    case 'blob':
      return {
        mode,
        sha: content.sha,
        size: [...before.values()].find(({ sha }) => sha === content.sha)?.size ?? null,
      };
    case 'deleted':
      return null;
  }
}

/** The SHA of git's object for a directory. Its entries stand in the order of their bytes, a directory as `name/`. */
function directorySha(entries: readonly (readonly [string, TreeEntry])[]): string {
  const named = entries.map(([path, { mode, sha }]) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const order = Buffer.from(mode === DIRECTORY ? `${name}/` : name);
    return {
      order,
      bytes: Buffer.concat([Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(sha, 'hex')]),
    };
  });
  const bytes = Buffer.concat(named.toSorted((left, right) => left.order.compare(right.order)).map((one) => one.bytes));
  return createHash('sha1').update(`tree ${bytes.length}\0`).update(bytes).digest('hex');
}
