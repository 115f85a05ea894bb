import type { TouchedPath } from '../../../core/edits/build/build-set.ts';
import type { StoredFile } from '../../../core/edits/change.ts';
import { pathAndParents } from '../../../core/policy/paths.ts';
import type { TreeEntry } from '../../../core/step/ports.ts';
import type { Workspace } from './workspace.ts';

/** A file as the changes so far leave it. `origin` is its path at the head; null for a new one. */
export type DraftFile = { readonly file: StoredFile; readonly origin: string | null };

/** The head with the changes made so far: a tree to check paths with, and the files that were touched. */
export type DraftTree = {
  readonly workspace: Workspace;
  /** Changed in place, because a copy for each change would take too long in a large repository. */
  readonly tree: Map<string, TreeEntry>;
  /** By path; null for a path whose file is gone. */
  readonly files: ReadonlyMap<string, DraftFile | null>;
  /** The files at the head of the touched paths. A path that was free has none. */
  readonly before: ReadonlyMap<string, StoredFile | null>;
};

export function createDraft(workspace: Workspace): DraftTree {
  return { workspace, tree: new Map(workspace.tree), files: new Map(), before: new Map() };
}

/** The draft with a file of the head that a change is about to touch; null for a free path. */
export function withHeadFile(draft: DraftTree, path: string, file: StoredFile | null): DraftTree {
  return {
    ...draft,
    before: new Map([...draft.before, [path, file]]),
    files: new Map([...draft.files, [path, file === null ? null : { file, origin: path }]]),
  };
}

/** The draft after a change of a path; null where its file is gone. The draft before it must not be used again. */
export function withFile(draft: DraftTree, path: string, changed: DraftFile | null): DraftTree {
  const files = new Map([...draft.files, [path, changed]]);
  if (changed === null) draft.tree.delete(path);
  else addFile(draft, path, changed.file);
  return { ...draft, files };
}

export function touchedPaths({ files, before }: DraftTree): readonly TouchedPath[] {
  return [...files].map(([path, after]) => ({
    path,
    before: before.get(path) ?? null,
    after: after?.file ?? null,
    origin: after?.origin ?? null,
  }));
}

const NEW_DIRECTORY: TreeEntry = { mode: '040000', sha: '', size: null };

/** Adds a file with the directories above it, so that no other file can take their place. */
function addFile({ tree }: DraftTree, path: string, { ref, bytes }: StoredFile): void {
  tree.set(path, { mode: ref.mode, sha: ref.blob, size: bytes.length });
  for (const directory of pathAndParents(path).slice(0, -1))
    if (!tree.has(directory)) tree.set(directory, NEW_DIRECTORY);
}
