import { type GitObjectStore, readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { listTreeEntries } from '../../fakes/github/git/trees.ts';
import type { GitCommit, GitReader, GitTreeEntry } from '../../src/cli/git/repository.ts';

/** The reader that `countersign verify` uses, on the repository of the fake GitHub. */
export function storedRepository(store: GitObjectStore): GitReader {
  const filesOf = (commit: string): ReadonlyMap<string, GitTreeEntry> => {
    const entries = [...listTreeEntries(store, storedCommit(store, commit).tree)];
    return new Map(entries.map(([path, { mode, sha: id }]) => [path, { mode, id }]));
  };
  return {
    async listChanges(parent, commit) {
      const [before, after] = [filesOf(parent), filesOf(commit)];
      return [...new Set([...before.keys(), ...after.keys()])]
        .toSorted()
        .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
        .filter((one) => one.before?.id !== one.after?.id || one.before?.mode !== one.after?.mode);
    },
    async readBlobs(ids) {
      return new Map(ids.map((id) => [id, Buffer.from(readBlob(store, id) ?? [])]));
    },
  };
}

/** A commit of the fake GitHub's repository. Throws if it is missing. */
export function storedCommit(store: GitObjectStore, id: string): GitCommit & { readonly tree: string } {
  const commit = readGitCommit(store, id);
  if (commit === undefined) throw new Error(`There is no commit ${id}.`);
  return { id, ...commit };
}
