import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { walkCommits } from './ancestry.ts';
import { type GitObjectStore, readGitCommit, type Sha } from './objects.ts';
import { listTreeEntries } from './trees.ts';

/** Refs by full name, and the branch to which HEAD points. */
type ExportedRefs = { readonly refs: ReadonlyMap<string, Sha>; readonly defaultBranch: string };

/** Writes a bare repository with loose objects into a new or empty directory. Throws file system errors. */
export function exportBareRepository(
  store: GitObjectStore,
  { refs, defaultBranch }: ExportedRefs,
  directory: string,
): void {
  writeFileWithFolders(join(directory, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  writeFileWithFolders(
    join(directory, 'config'),
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  );
  for (const folder of ['objects', 'refs/heads', 'refs/tags']) mkdirSync(join(directory, folder), { recursive: true });
  for (const sha of listReachable(store, refs.values())) writeLooseObject(store, sha, directory);
  for (const [name, sha] of refs) writeFileWithFolders(join(directory, name), `${sha}\n`);
}

function writeLooseObject(store: GitObjectStore, sha: Sha, directory: string): void {
  const object = store.objects.get(sha);
  if (object === undefined) return;
  const header = Buffer.from(`${object.type} ${object.bytes.byteLength}\0`);
  const path = join(directory, 'objects', sha.slice(0, 2), sha.slice(2));
  writeFileWithFolders(path, deflateSync(Buffer.concat([header, object.bytes]), { level: 1 }));
}

function listReachable(store: GitObjectStore, tips: Iterable<Sha>): ReadonlySet<Sha> {
  const found = new Set<Sha>();
  for (const tip of tips) {
    for (const sha of walkCommits(store, tip)) {
      if (found.has(sha)) continue;
      found.add(sha);
      addTreeObjects(store, readGitCommit(store, sha)?.tree ?? '', found);
    }
  }
  return found;
}

function addTreeObjects(store: GitObjectStore, tree: Sha, found: Set<Sha>): void {
  if (found.has(tree)) return;
  found.add(tree);
  for (const { mode, sha } of listTreeEntries(store, tree, 'with directories').values())
    if (mode !== '160000') found.add(sha);
}

function writeFileWithFolders(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
