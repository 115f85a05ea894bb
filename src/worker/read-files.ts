import { decodeText } from '../change/text.ts';
import type { FileAtHead } from '../policy/freshness.ts';
import { checkTarget, type Tree } from '../policy/path.ts';
import type { FilesWanted } from '../run/files-wanted.ts';
import type { GitHub } from './ports.ts';

/** Files by path, in an object without a prototype: any name may be one of a file. */
export async function readAll(
  github: GitHub,
  tree: Tree,
  { paths, moves }: FilesWanted,
): Promise<Record<string, FileAtHead | null>> {
  const files: Record<string, FileAtHead | null> = Object.create(null);
  for (const { from, to } of moves) {
    files[from] = tree.has(from) ? withoutText(tree, from) : null;
    files[to] = withoutText(tree, to, from);
  }
  for (const path of paths) files[path] = await readFile(github, tree, path);
  return files;
}

/** Where a file may not be made: something else has taken its place, or one of its directories'. */
const NOTHING_FITS: FileAtHead = { blob: '', mode: '', text: null };

/**
 * Whether a new file of this name, or one that is moved there, fits the tree as it is now: no file, link or twin in its
 * way.
 */
function mayStandIn(tree: Tree, path: string, from: string): boolean {
  return checkTarget(path, from, { repo: '', tree }).kind === 'path';
}

/** A path of a commit's tree with its text; null where there is nothing, no text where it is no plain file. */
export async function readFile(github: GitHub, tree: Tree, path: string): Promise<FileAtHead | null> {
  const file = withoutText(tree, path);
  if (file === null || (file.mode !== '100644' && file.mode !== '100755')) return file;
  const decoded = decodeText(await github.blob(file.blob));
  return { ...file, text: decoded.kind === 'text' ? decoded.text : null };
}

/** The same without looking into the file. `from` is where a file comes from that is to be moved here. */
export function withoutText(tree: Tree, path: string, from: string = path): FileAtHead | null {
  const entry = tree.get(path);
  if (entry === undefined) return mayStandIn(tree, path, from) ? null : NOTHING_FITS;
  return { blob: entry.sha, mode: entry.mode, text: null };
}
