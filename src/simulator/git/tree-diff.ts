import type { FileChange } from './file-change.ts';
import type { ObjectStore, Sha } from './object-store.ts';
import { rememberPerStore } from './remember.ts';
import { pairRenames } from './renames.ts';
import { directoryOf, type TreeEntry } from './tree-object.ts';

/** The changed files between two trees, renames recognised, by path. Equal directories are never opened. */
export const changedFiles: (store: ObjectStore, before: Sha, after: Sha) => readonly FileChange[] = rememberPerStore(
  (store, before = '', after = '') => {
    const changes: FileChange[] = [];
    compare(store, { mode: '040000', sha: before }, { mode: '040000', sha: after }, '', changes);
    return pairRenames(store, changes).toSorted((left, right) => (left.path < right.path ? -1 : 1));
  },
);

type MaybeEntry = TreeEntry | undefined;

function compare(store: ObjectStore, before: MaybeEntry, after: MaybeEntry, path: string, into: FileChange[]): void {
  if (before?.sha === after?.sha && before?.mode === after?.mode) return;
  const oldFile = before?.mode === '040000' ? undefined : before;
  const newFile = after?.mode === '040000' ? undefined : after;
  if (oldFile !== undefined && newFile !== undefined)
    into.push({ status: 'modified', path, before: oldFile, after: newFile });
  else if (oldFile !== undefined) into.push({ status: 'removed', path, before: oldFile });
  else if (newFile !== undefined) into.push({ status: 'added', path, after: newFile });
  compareBelow(store, before, after, path === '' ? '' : `${path}/`, into);
}

function compareBelow(store: ObjectStore, before: MaybeEntry, after: MaybeEntry, prefix: string, into: FileChange[]) {
  const oldEntries = before?.mode === '040000' ? directoryOf(store, before.sha) : new Map<string, TreeEntry>();
  const newEntries = after?.mode === '040000' ? directoryOf(store, after.sha) : new Map<string, TreeEntry>();
  for (const name of new Set([...oldEntries.keys(), ...newEntries.keys()])) {
    compare(store, oldEntries.get(name), newEntries.get(name), `${prefix}${name}`, into);
  }
}
