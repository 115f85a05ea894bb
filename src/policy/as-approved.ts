import { blobSha } from '../change/blob.ts';
import type { FileWrite } from './countersigned.ts';
import { kindOf, type Tree, type TreeEntry } from './tree.ts';

/** A file as git's tree has it: the SHA-1 of its blob, and its mode. */
export type TreeFile = { readonly blob: string; readonly mode: string };

/** A path of a commit that does not hold what was approved; null on either side where nothing stands. */
export type Difference = {
  readonly path: string;
  /** What the commit was to have here: for a path that was not to change, what its parent has. */
  readonly approved: TreeFile | null;
  readonly stands: TreeFile | null;
};

/** Paths of everything but directories whose blob or mode differs between two trees, each once. */
export function changedPaths(before: Tree, after: Tree): readonly string[] {
  const changed = [...before].filter(([path, entry]) => !isSame(fileIn(entry), fileAt(after, path)));
  const added = [...after].filter(([path, entry]) => fileIn(entry) !== null && fileAt(before, path) === null);
  return [...new Set([...changed, ...added].map(([path]) => path))];
}

/** Where a commit's tree is anything else than its parent's with exactly these files written (B20); empty where it is that. */
export function differencesFrom(
  writes: readonly FileWrite[],
  { before, after }: { readonly before: Tree; readonly after: Tree },
): readonly Difference[] {
  const approved = new Map(writes.map((write) => [write.path, writtenFile(write)]));
  const paths = new Set([...approved.keys(), ...changedPaths(before, after)]);
  return [...paths].flatMap((path) => {
    const wanted = approved.get(path);
    const should = wanted === undefined ? fileAt(before, path) : wanted;
    const stands = fileAt(after, path);
    return isSame(should, stands) ? [] : [{ path, approved: should, stands }];
  });
}

function writtenFile({ content, mode }: FileWrite): TreeFile | null {
  switch (content.kind) {
    case 'bytes':
      return { blob: blobSha(content.bytes), mode };
    case 'blob':
      return { blob: content.sha, mode };
    case 'gone':
      return null;
  }
}

function fileAt(tree: Tree, path: string): TreeFile | null {
  const entry = tree.get(path);
  return entry === undefined ? null : fileIn(entry);
}

/** Directories follow from what they hold. */
function fileIn(entry: TreeEntry): TreeFile | null {
  return kindOf(entry) === 'directory' ? null : { blob: entry.sha, mode: entry.mode };
}

function isSame(left: TreeFile | null, right: TreeFile | null): boolean {
  return left?.blob === right?.blob && left?.mode === right?.mode;
}
