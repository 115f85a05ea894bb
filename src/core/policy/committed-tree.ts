import { blobSha } from '../edits/text/characters.ts';
import type { FileWrite, Tree, TreeEntry } from '../state/ports.ts';
import type { TreeFile, TreeMismatch } from '../state/signals.ts';
import { entryKind } from './paths.ts';

/**
 * Paths at which a commit's tree differs from its parent's tree plus exactly these writes; empty if the commit is
 * correct (B20).
 */
export function treeMismatches(
  writes: readonly FileWrite[],
  { before, after }: { readonly before: Tree; readonly after: Tree },
): readonly TreeMismatch[] {
  const approved = new Map(writes.map((write) => [write.path, writtenFile(write)]));
  const paths = new Set([...approved.keys(), ...changedTreePaths(before, after)]);
  return [...paths].flatMap((path) => {
    const written = approved.get(path);
    const expected = written === undefined ? fileAt(before, path) : written;
    const actual = fileAt(after, path);
    return isSame(expected, actual) ? [] : [{ path, expected, actual }];
  });
}

/** Paths whose blob or mode differs between two trees, each once and without directories. */
export function changedTreePaths(before: Tree, after: Tree): readonly string[] {
  const changed = [...before].filter(([path, entry]) => !isSame(fileIn(entry), fileAt(after, path)));
  const added = [...after].filter(([path, entry]) => fileIn(entry) !== null && fileAt(before, path) === null);
  return [...new Set([...changed, ...added].map(([path]) => path))];
}

function writtenFile({ content, mode }: FileWrite): TreeFile | null {
  switch (content.kind) {
    case 'bytes':
      return { blob: blobSha(content.bytes), mode };
    case 'blob':
      return { blob: content.sha, mode };
    case 'deleted':
      return null;
  }
}

function fileAt(tree: Tree, path: string): TreeFile | null {
  const entry = tree.get(path);
  return entry === undefined ? null : fileIn(entry);
}

/** Directories are left out: their content determines them. */
function fileIn(entry: TreeEntry): TreeFile | null {
  return entryKind(entry) === 'directory' ? null : { blob: entry.sha, mode: entry.mode };
}

function isSame(left: TreeFile | null, right: TreeFile | null): boolean {
  return left?.blob === right?.blob && left?.mode === right?.mode;
}
