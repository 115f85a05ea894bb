import type { FilesToFetch } from '../../core/actions/head-assessment.ts';
import type { FileMode } from '../../core/edits/change.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { checkMoveTarget } from '../../core/policy/paths.ts';
import type { FileAtHead } from '../../core/state/head-changes.ts';
import type { GitHub, Tree } from '../../core/state/ports.ts';

/** Fetches files by path. The result has no prototype, because a file can be named `constructor`. */
export async function fetchFiles(
  github: GitHub,
  tree: Tree,
  { paths, moves }: FilesToFetch,
): Promise<Record<string, FileAtHead | null>> {
  const files: Record<string, FileAtHead | null> = Object.create(null);
  for (const { from, to } of moves) {
    files[from] = tree.has(from) ? fileWithoutText(tree, from) : null;
    files[to] = fileWithoutText(tree, to, from);
  }
  for (const path of paths) files[path] = await fetchFile(github, tree, path);
  return files;
}

/**
 * Fetches a file of a tree with its text: null if there is no file; the text is null unless it is a plain text file.
 */
export async function fetchFile(github: GitHub, tree: Tree, path: string): Promise<FileAtHead | null> {
  const file = fileWithoutText(tree, path);
  if (file === null || !isPlainFileMode(file.mode)) return file;
  const decoded = decodeText(await github.fetchBlob(file.blob, tree.get(path)?.size));
  return { ...file, text: decoded.kind === 'text' ? decoded.text : null };
}

/** Whether this is the mode of a plain file, and not of a link, directory or submodule. */
export function isPlainFileMode(mode: string): mode is FileMode {
  return mode === '100644' || mode === '100755';
}

/** Marks a path where no file can be created, because another file or directory is in the way. */
const PATH_BLOCKED: FileAtHead = { blob: '', mode: '', text: null };

/**
 * A file without its text, from the tree alone; null if there is none. `from` is the source of a file that is to be
 * moved to `path`.
 */
export function fileWithoutText(tree: Tree, path: string, from: string = path): FileAtHead | null {
  const entry = tree.get(path);
  if (entry === undefined) return canPlaceFile(tree, path, from) ? null : PATH_BLOCKED;
  return { blob: entry.sha, mode: entry.mode, text: null };
}

/** Whether a file can be created at `path`: no file, link or name that differs only in case is in the way. */
function canPlaceFile(tree: Tree, path: string, from: string): boolean {
  return checkMoveTarget(path, from, { repo: '', tree }).kind === 'path';
}
