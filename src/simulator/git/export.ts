import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { walk } from './ancestry.ts';
import { readCommit } from './commit-object.ts';
import type { ObjectStore, Sha } from './object-store.ts';
import { listTree } from './trees.ts';

/** What becomes a repository on disk: refs by full name, and the branch HEAD names. */
export type Exported = { readonly refs: ReadonlyMap<string, Sha>; readonly defaultBranch: string };

/**
 * Writes a bare repository that `git clone`, `git log` and `git fsck` accept, into a directory
 * that is new or empty: one loose object per reachable object. Throws what the file system throws.
 */
export function exportRepository(store: ObjectStore, { refs, defaultBranch }: Exported, directory: string): void {
  write(join(directory, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  write(join(directory, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n');
  for (const folder of ['objects', 'refs/heads', 'refs/tags']) mkdirSync(join(directory, folder), { recursive: true });
  for (const sha of reachable(store, refs.values())) writeLooseObject(store, sha, directory);
  for (const [name, sha] of refs) write(join(directory, name), `${sha}\n`);
}

function writeLooseObject(store: ObjectStore, sha: Sha, directory: string): void {
  const object = store.objects.get(sha);
  if (object === undefined) return;
  const header = Buffer.from(`${object.type} ${object.bytes.byteLength}\0`);
  const path = join(directory, 'objects', sha.slice(0, 2), sha.slice(2));
  write(path, deflateSync(Buffer.concat([header, object.bytes]), { level: 1 }));
}

function reachable(store: ObjectStore, tips: Iterable<Sha>): ReadonlySet<Sha> {
  const found = new Set<Sha>();
  for (const tip of tips) {
    for (const sha of walk(store, tip)) {
      if (found.has(sha)) continue;
      found.add(sha);
      addTree(store, readCommit(store, sha)?.tree ?? '', found);
    }
  }
  return found;
}

function addTree(store: ObjectStore, tree: Sha, found: Set<Sha>): void {
  if (found.has(tree)) return;
  found.add(tree);
  for (const { mode, sha } of listTree(store, tree, 'with directories').values()) if (mode !== '160000') found.add(sha);
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
