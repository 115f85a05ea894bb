import type { GitFileMode } from '../../fakes/github/git/objects.ts';
import type { GitFiles } from '../../fakes/github/git/trees.ts';
import {
  type GitCommit,
  type GitReader,
  type GitTreeEntry,
  listCommits,
  type PathChange,
} from '../../src/cli/git/repository.ts';
import { GitError } from '../../src/cli/git/run-git.ts';
import { foldPath } from '../../src/core/policy/paths.ts';
import type { FixtureFiles } from './pull-request-fixture.ts';
import { countRefusal, type FidelityTotals } from './report.ts';

/** A trial of one repository. */
export type RepositoryTrial = {
  readonly repo: string;
  /** A revision range of `git log`. */
  readonly range: string;
  /** The pull request shows the changes of the parent commit, or all lines of the files that the commit changes. */
  readonly diffBase: DiffBase;
  /** Limit of file changes; null for all. */
  readonly maxChanges: number | null;
  readonly threads: number;
};

type DiffBase = 'parent' | 'files';

type SampleSource = Pick<RepositoryTrial, 'range' | 'diffBase' | 'maxChanges'> & { readonly gitDir: string };

/** The changes of a range in batches, newest first. Adds the commits and the unsupported changes to `totals`. */
export async function* readSamples(
  git: GitReader,
  { gitDir, range, diffBase, maxChanges }: SampleSource,
  totals: FidelityTotals,
): AsyncGenerator<Sample, void> {
  const batches = createBatchBuilder();
  let usableCount = 0;
  for (const listed of await listCommits(gitDir, range, ['--no-merges'])) {
    if (usableCount === maxChanges) break;
    for await (const result of readChanges(git, gitDir, listed, diffBase)) {
      if (usableCount === maxChanges) break;
      if (result.kind === 'usable') {
        usableCount += 1;
        const batch = batches.add(result.change);
        if (batch !== null) yield await createSample(git, batch);
      } else countRefusal(totals, result.reason, `${result.commit} ${result.path}`);
    }
    totals.commits += 1;
  }
  for (const batch of batches.flush()) yield await createSample(git, batch);
}

/** Changes of one or more commits, and a pull request with the files of their parent commits. */
export type Sample = { readonly changes: readonly CommitFileChange[]; readonly files: FixtureFiles };

/** At most `MAX_CHANGES_PER_SAMPLE` changes whose paths do not collide. */
type ChangeBatch = readonly UsableChange[];

type BatchBuilder = {
  /** Adds a change to a batch; returns a batch that is complete, or null. */
  readonly add: (usable: UsableChange) => ChangeBatch | null;
  /** Returns the incomplete batches. */
  readonly flush: () => readonly ChangeBatch[];
};

/** The proposals that one response of the model may contain. */
export const MAX_CHANGES_PER_SAMPLE = 10;

/** Limits memory, because a batch has the bytes of its files. */
const MAX_OPEN_BATCHES = 8;

/** Files of a pull request that none of its changes touches. */
const MAX_EXTRA_FILES = 5;

/** Batches changes, so that there are fewer pull requests to simulate. */
export function createBatchBuilder(): BatchBuilder {
  const open: UsableChange[][] = [];
  const takeComplete = (): ChangeBatch | null => {
    const full = open.findIndex(({ length }) => length === MAX_CHANGES_PER_SAMPLE);
    if (full !== -1) return open.splice(full, 1)[0] ?? null;
    return open.length > MAX_OPEN_BATCHES ? (open.shift() ?? null) : null;
  };
  return {
    add: (usable) => {
      const batch = open.find((one) => canJoin(usable, one));
      if (batch === undefined) open.push([usable]);
      else batch.push(usable);
      return takeComplete();
    },
    flush: () => open.splice(0),
  };
}

function canJoin(usable: UsableChange, batch: ChangeBatch): boolean {
  const paths = batch.flatMap(({ shownFiles }) => shownFiles.map(({ path }) => path));
  return usable.shownFiles.every(({ path }) => !collidesWithAny(path, paths));
}

/** Whether two paths are equal, need a file and a directory of the same name, or differ only in case. */
function collidesWithAny(path: string, others: readonly string[]): boolean {
  return others.some((other) => pathsCollide(path.split('/'), other.split('/')));
}

function pathsCollide([name, ...rest]: readonly string[], [other, ...others]: readonly string[]): boolean {
  if (name === undefined || other === undefined) return true;
  return name === other ? pathsCollide(rest, others) : foldPath(name) === foldPath(other);
}

/** Throws a `GitError` if an object cannot be read. */
async function createSample(git: GitReader, batch: ChangeBatch): Promise<Sample> {
  const base = new Map<string, NonNullable<VersionedFile>>();
  const head = new Map<string, NonNullable<VersionedFile>>();
  const addFile = (path: string, atBase: VersionedFile, atHead: VersionedFile): void => {
    if (atBase !== null) base.set(path, atBase);
    if (atHead !== null) head.set(path, atHead);
  };
  const shownFiles = batch.flatMap((one) => one.shownFiles);
  for (const file of shownFiles) addFile(file.path, file.base, file.head);
  for (const { path, before, after } of selectExtraFiles(batch))
    addFile(path, await readFileVersion(git, before), await readFileVersion(git, after));
  return {
    changes: batch.map(({ change }) => change),
    files: { base: dropNestedPaths(base), head: dropNestedPaths(head) },
  };
}

function selectExtraFiles(batch: ChangeBatch): readonly PathChange[] {
  const usedPaths = batch.flatMap(({ shownFiles }) => shownFiles.map(({ path }) => path));
  const selected: PathChange[] = [];
  for (const file of batch.flatMap(({ extraFiles }) => extraFiles)) {
    if (selected.length === MAX_EXTRA_FILES) return selected;
    if (collidesWithAny(file.path, usedPaths)) continue;
    selected.push(file);
    usedPaths.push(file.path);
  }
  return selected;
}

/** Drops each path that has another file as its directory. */
function dropNestedPaths(files: ReadonlyMap<string, NonNullable<VersionedFile>>): GitFiles {
  const paths = new Set(files.keys());
  return new Map([...files].filter(([path]) => !parentPaths(path).some((parent) => paths.has(parent))));
}

function parentPaths(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** A file at a commit; null if the commit does not have it. */
export type VersionedFile = { readonly mode: GitFileMode; readonly bytes: Buffer } | null;

/** A commit's change of one path. `from` is the old path of a moved file. */
export type CommitFileChange = {
  readonly commit: string;
  readonly path: string;
  readonly from: string | null;
  readonly before: VersionedFile;
  readonly after: VersionedFile;
};

/** A path that a change touches, at the base and the head of the pull request. */
type ShownFile = { readonly path: string; readonly base: VersionedFile; readonly head: VersionedFile };

/** A change that the agent's tools support, with the files of its pull request. */
export type UsableChange = {
  readonly change: CommitFileChange;
  readonly shownFiles: readonly ShownFile[];
  /** Files that the parent commit changed and the commit does not. They make the pull request realistic. */
  readonly extraFiles: readonly PathChange[];
};

/** A change is skipped if the agent's tools don't support it. */
type ReadResult =
  | { readonly kind: 'usable'; readonly change: UsableChange }
  | { readonly kind: 'skipped'; readonly commit: string; readonly path: string; readonly reason: string };

const MAX_EXTRA_FILES_PER_COMMIT = 5;

type CommitContext = {
  readonly commit: string;
  /** Changes of the parent commit, by path. */
  readonly parentChanges: ReadonlyMap<string, PathChange>;
  readonly extraFiles: readonly PathChange[];
  readonly diffBase: DiffBase;
};

/** Yields the file changes of a commit, none for a merge or a first commit. Throws a `GitError` if an object is missing. */
async function* readChanges(
  git: GitReader,
  gitDir: string,
  { id, parents }: GitCommit,
  diffBase: DiffBase,
): AsyncGenerator<ReadResult> {
  const [parent] = parents;
  if (parent === undefined || parents.length > 1) return;
  const [grandparent] = (await listCommits(gitDir, parent, ['-1']))[0]?.parents ?? [];
  const earlier = grandparent === undefined ? [] : await git.listChanges(grandparent, parent);
  const parentChanges = new Map(earlier.map((change) => [change.path, change]));
  const extraFiles = [...parentChanges.values()]
    .filter((one) => unsupportedReason(one) === null)
    .slice(0, MAX_EXTRA_FILES_PER_COMMIT);
  const { moved, rest } = pairMoves(await git.listChanges(parent, id));
  for (const one of [...moved, ...rest.map((change) => ({ change, from: null }))]) {
    const unsupported = unsupportedReason(one.change);
    const usable =
      unsupported === null ? await toUsableChange(git, one, { commit: id, parentChanges, extraFiles, diffBase }) : null;
    if (usable !== null) yield { kind: 'usable', change: usable };
    else {
      const reason = unsupported ?? 'content missing in this repository';
      yield { kind: 'skipped', commit: id, path: one.change.path, reason };
    }
  }
}

type PossibleMove = { readonly change: PathChange; readonly from: PathChange | null };

/** Pairs deleted files with new files of the same content and mode. */
function pairMoves(changes: readonly PathChange[]): { moved: readonly PossibleMove[]; rest: readonly PathChange[] } {
  const deleted = new Map(changes.filter(({ after }) => after === null).map((one) => [contentKeyOf(one.before), one]));
  const moved: PossibleMove[] = [];
  const used = new Set<PathChange>();
  for (const change of changes) {
    const from = change.before === null ? deleted.get(contentKeyOf(change.after)) : undefined;
    if (from === undefined || used.has(from) || unsupportedReason(from) !== null) continue;
    moved.push({ change, from });
    used.add(from).add(change);
  }
  return { moved, rest: changes.filter((change) => !used.has(change)) };
}

function contentKeyOf(entry: GitTreeEntry | null): string {
  return `${entry?.mode} ${entry?.id}`;
}

/** The reason why no tool can make this change; null if one might. */
function unsupportedReason({ before, after }: PathChange): string | null {
  if ([before, after].some((entry) => entry !== null && !isRegularFile(entry.mode)))
    return 'a symbolic link, a submodule or an unusual mode';
  return before?.id === after?.id ? 'only the mode' : null;
}

function isRegularFile(mode: string): mode is '100644' | '100755' {
  return mode === '100644' || mode === '100755';
}

/** Null if the repository lacks the content of a version, as partial clones do. */
async function toUsableChange(
  git: GitReader,
  { change, from }: PossibleMove,
  context: CommitContext,
): Promise<UsableChange | null> {
  const source = (from ?? change).before;
  const [before, after] = [await readFileVersion(git, source), await readFileVersion(git, change.after)];
  if ((before === null) !== (source === null) || (after === null) !== (change.after === null)) return null;
  const paths = from === null ? [change] : [change, from];
  const shownFiles: ShownFile[] = [];
  for (const one of paths) shownFiles.push(await toShownFile(git, one, context));
  const { commit, extraFiles } = context;
  return { change: { commit, path: change.path, from: from?.path ?? null, before, after }, shownFiles, extraFiles };
}

async function toShownFile(
  git: GitReader,
  { path, before }: PathChange,
  { parentChanges, diffBase }: CommitContext,
): Promise<ShownFile> {
  const head = await readFileVersion(git, before);
  if (diffBase === 'files') return { path, base: null, head };
  const earlier = parentChanges.get(path);
  return { path, base: earlier === undefined ? head : await readFileVersion(git, earlier.before), head };
}

/** Null if there is no regular file, or its content is missing in this repository. */
async function readFileVersion(git: GitReader, entry: GitTreeEntry | null): Promise<VersionedFile> {
  if (entry === null || !isRegularFile(entry.mode)) return null;
  const bytes = await git.readBlobs([entry.id], MAX_FILE_BYTES).catch(missingAsNull);
  const content = bytes?.get(entry.id) ?? null;
  return content === null ? null : { mode: entry.mode, bytes: content };
}

/** Larger files are left out of samples. */
const MAX_FILE_BYTES = 20_000_000;

function missingAsNull(error: unknown): null {
  if (error instanceof GitError) return null;
  throw error;
}
