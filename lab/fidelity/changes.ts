import {
  type GitCommit,
  type GitReader,
  type GitTreeEntry,
  listCommitRange,
  openRepository,
  type PathChange,
} from '../../src/cli/git/repository.ts';
import { GitError, gitDirectory } from '../../src/cli/git/run-git.ts';
import type { FileMode, StoredFile } from '../../src/core/edits/change.ts';
import { MAX_WHOLE_FILE_BYTES } from '../../src/core/edits/text/limits.ts';

/** A commit's change of one path. A version is null if the commit does not have the file. */
export type CommitFileChange = {
  readonly commit: string;
  readonly path: string;
  /** The old path of a moved file. */
  readonly from: string | null;
  readonly before: StoredFile | null;
  readonly after: StoredFile | null;
};

/** A change that cannot be tried, and why. */
export type UntriedChange = Pick<CommitFileChange, 'commit' | 'path'> & { readonly reason: string };

/**
 * The file changes of a revision range of `git log`, newest first. Merges and first commits are left out. Throws a
 * `GitError` or a `GitNotInstalledError`.
 */
export async function* readChanges(repo: string, range: string): AsyncGenerator<CommitFileChange | UntriedChange> {
  const gitDir = await gitDirectory(repo);
  const git = openRepository(gitDir);
  for (const commit of await listCommitRange(gitDir, range, ['--no-merges'])) {
    const [parent] = commit.parents;
    if (parent === undefined) continue;
    for (const change of pairMoves(await git.listChanges(parent, commit.id)))
      yield await readChange(git, commit, change);
  }
}

/** A change of a path. `source` is the deleted path of a moved file. */
type ListedChange = { readonly change: PathChange; readonly source: PathChange | null };

/** Pairs each new file with a deleted one of the same content and mode. */
function pairMoves(changes: readonly PathChange[]): readonly ListedChange[] {
  const deleted = new Map(changes.filter(({ after }) => after === null).map((one) => [contentOf(one.before), one]));
  const sources = new Map<PathChange, PathChange>();
  for (const change of changes) {
    const content = contentOf(change.after);
    const source = change.before === null ? deleted.get(content) : undefined;
    if (source === undefined) continue;
    sources.set(change, source);
    deleted.delete(content);
  }
  const used = new Set(sources.values());
  return changes
    .filter((change) => !used.has(change))
    .map((change) => ({ change, source: sources.get(change) ?? null }));
}

function contentOf(entry: GitTreeEntry | null): string {
  return `${entry?.mode} ${entry?.id}`;
}

async function readChange(
  git: GitReader,
  { id: commit }: GitCommit,
  { change, source }: ListedChange,
): Promise<CommitFileChange | UntriedChange> {
  const { path, after } = change;
  const [old, entries] = [(source ?? change).before, [(source ?? change).before, after]];
  if (entries.some((entry) => entry !== null && !isFileMode(entry.mode)))
    return { commit, path, reason: 'a symbolic link, a submodule or an unusual mode' };
  if (source === null && old?.id === after?.id) return { commit, path, reason: 'only the mode' };
  try {
    const ids = entries.flatMap((entry) => entry?.id ?? []);
    const blobs = await git.readBlobs(ids, MAX_WHOLE_FILE_BYTES);
    if (ids.some((id) => blobs.get(id) == null)) return { commit, path, reason: 'a file that is too large' };
    const from = source?.path ?? null;
    return { commit, path, from, before: toFile(old, blobs), after: toFile(after, blobs) };
  } catch (error) {
    // Partial clones lack the content of some versions.
    if (error instanceof GitError) return { commit, path, reason: 'content missing in this repository' };
    throw error;
  }
}

/** Null if there is no regular file with this content. */
function toFile(entry: GitTreeEntry | null, blobs: ReadonlyMap<string, Buffer | null>): StoredFile | null {
  const bytes = blobs.get(entry?.id ?? '') ?? null;
  if (entry === null || bytes === null || !isFileMode(entry.mode)) return null;
  return { ref: { blob: entry.id, mode: entry.mode }, bytes };
}

/** Whether the mode is that of a regular file. */
export function isFileMode(mode: string): mode is FileMode {
  return mode === '100644' || mode === '100755';
}
