import type { GitFileMode } from '../../fakes/github/git/objects.ts';
import type { GitFiles } from '../../fakes/github/git/trees.ts';
import { type GitLogEntry, type GitObjectReader, listGitCommits, parseCommit } from '../../src/cli/git/objects.ts';
import { GitError } from '../../src/cli/git/run-git.ts';
import { diffTrees, type GitTreeEntry, type PathChange } from '../../src/cli/git/tree-diff.ts';
import { foldPath } from '../../src/core/policy/paths.ts';
import type { DiffBase, FidelityOptions } from './options.ts';
import { countRefusal, type FidelityTotals } from './report.ts';
import type { FixtureFiles } from './session.ts';

type SampleRange = Pick<FidelityOptions, 'range' | 'diffBase' | 'maxChanges'> & { readonly gitDir: string };

/** The changes of a range put together, newest first; counts the commits, and what no tool can ask for. */
export async function* readSamples(
  objects: GitObjectReader,
  wanted: SampleRange,
  totals: FidelityTotals,
): AsyncGenerator<Sample, void> {
  const { gitDir, range, diffBase, maxChanges } = wanted;
  const batches = createBatchBuilder();
  let usable = 0;
  for await (const listed of listGitCommits({ gitDir, range, options: ['--no-merges'] })) {
    if (usable === maxChanges) break;
    for await (const read of readChanges(objects, listed, diffBase)) {
      if (usable === maxChanges) break;
      if (read.kind === 'usable') {
        usable += 1;
        const batch = batches.add(read.change);
        if (batch !== null) yield await createSample(objects, batch);
      } else countRefusal(totals, read.skipped.reason, `${read.skipped.commit} ${read.skipped.path}`);
    }
    totals.commits += 1;
  }
  for (const batch of batches.flush()) yield await createSample(objects, batch);
}

/** Changes of some commits that one pull request can show, each with the files of its own commit's parent. */
export type Sample = { readonly changes: readonly CommitFileChange[]; readonly files: FixtureFiles };

/** Changes that go together; at most `MOST_CHANGES`, and no path of one is in the way of another's. */
type ChangeBatch = readonly UsableChange[];

type BatchBuilder = {
  /** Puts a change with others; gives a pack once it is not to wait for more. */
  readonly add: (usable: UsableChange) => ChangeBatch | null;
  /** What is left. */
  readonly flush: () => readonly ChangeBatch[];
};

/** What one response of a model may propose. */
export const MAX_CHANGES_PER_SAMPLE = 10;

/** Packs that wait for more. Each holds its files' bytes. */
const MAX_OPEN_BATCHES = 8;

/** Files of a pull request that no change touches. */
const MAX_EXTRA_FILES = 5;

/** Puts changes together, so that there are fewer pull requests to simulate. */
export function createBatchBuilder(): BatchBuilder {
  const waiting: UsableChange[][] = [];
  const next = (): ChangeBatch | null => {
    const full = waiting.findIndex(({ length }) => length === MAX_CHANGES_PER_SAMPLE);
    if (full !== -1) return waiting.splice(full, 1)[0] ?? null;
    return waiting.length > MAX_OPEN_BATCHES ? (waiting.shift() ?? null) : null;
  };
  return {
    add: (usable) => {
      const batch = waiting.find((one) => canJoin(usable, one));
      if (batch === undefined) waiting.push([usable]);
      else batch.push(usable);
      return next();
    },
    flush: () => waiting.splice(0),
  };
}

function canJoin(usable: UsableChange, batch: ChangeBatch): boolean {
  const paths = batch.flatMap(({ shownFiles }) => shownFiles.map(({ path }) => path));
  return usable.shownFiles.every(({ path }) => !collidesWithAny(path, paths));
}

/** The same path, a file where the other has a directory, or names of which only the case differs. */
function collidesWithAny(path: string, others: readonly string[]): boolean {
  return others.some((other) => pathsCollide(path.split('/'), other.split('/')));
}

function pathsCollide([name, ...rest]: readonly string[], [other, ...others]: readonly string[]): boolean {
  if (name === undefined || other === undefined) return true;
  return name === other ? pathsCollide(rest, others) : foldPath(name) === foldPath(other);
}

/** The pull request of a pack. Throws as `Objects.read` does. */
async function createSample(objects: GitObjectReader, batch: ChangeBatch): Promise<Sample> {
  const base = new Map<string, NonNullable<VersionedFile>>();
  const head = new Map<string, NonNullable<VersionedFile>>();
  const posted = (path: string, before: VersionedFile, after: VersionedFile): void => {
    if (before !== null) base.set(path, before);
    if (after !== null) head.set(path, after);
  };
  const shownFiles = batch.flatMap((one) => one.shownFiles);
  for (const one of shownFiles) posted(one.path, one.base, one.head);
  for (const { path, before, after } of selectExtraFiles(batch))
    posted(path, await readFileVersion(objects, before), await readFileVersion(objects, after));
  return {
    changes: batch.map(({ change }) => change),
    files: { base: dropNestedPaths(base), head: dropNestedPaths(head) },
  };
}

function selectExtraFiles(batch: ChangeBatch): readonly PathChange[] {
  const usable = batch.flatMap(({ shownFiles }) => shownFiles.map(({ path }) => path));
  const kept: PathChange[] = [];
  for (const other of batch.flatMap(({ extraFiles }) => extraFiles)) {
    if (kept.length === MAX_EXTRA_FILES) return kept;
    if (collidesWithAny(other.path, usable)) continue;
    kept.push(other);
    usable.push(other.path);
  }
  return kept;
}

/** Files alone: a path below another one is left out. */
function dropNestedPaths(files: ReadonlyMap<string, NonNullable<VersionedFile>>): GitFiles {
  const paths = new Set(files.keys());
  return new Map([...files].filter(([path]) => !parentPaths(path).some((parent) => paths.has(parent))));
}

function parentPaths(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** A version of a file; null where it is not there. */
export type VersionedFile = { readonly mode: GitFileMode; readonly bytes: Buffer } | null;

/** What a commit does to one path, or, with `from`, how it moves a file there. */
export type CommitFileChange = {
  readonly commit: string;
  readonly path: string;
  readonly from: string | null;
  readonly before: VersionedFile;
  readonly after: VersionedFile;
};

/** A path that a change touches, as a pull request that shows the parent commit holds it. */
type ShownFile = { readonly path: string; readonly base: VersionedFile; readonly head: VersionedFile };

/** A change, and the pull request that it takes. */
export type UsableChange = {
  readonly change: CommitFileChange;
  readonly shownFiles: readonly ShownFile[];
  /** Files that the parent changed and the commit does not: they only make the pull request what it is. */
  readonly extraFiles: readonly PathChange[];
};

/** A change that no tool of an agent could ask for, and why. */
type SkippedChange = { readonly commit: string; readonly path: string; readonly reason: string };

type ReadChange =
  | { readonly kind: 'usable'; readonly change: UsableChange }
  | { readonly kind: 'skipped'; readonly skipped: SkippedChange };

/** Of each commit. */
const MAX_EXTRA_FILES_PER_COMMIT = 5;

type CommitContext = {
  readonly commit: string;
  /** What the parent commit changed. */
  readonly parentChanges: ReadonlyMap<string, PathChange>;
  readonly extraFiles: readonly PathChange[];
  readonly diffBase: DiffBase;
};

/** Takes a commit with one parent apart. Throws a `GitError` if an object is missing. */
async function* readChanges(
  objects: GitObjectReader,
  { id, parents }: GitLogEntry,
  diffBase: DiffBase,
): AsyncGenerator<ReadChange> {
  const [parent] = parents;
  if (parent === undefined || parents.length > 1) return;
  const [tree, parentCommit] = [await readTreeId(objects, id), await readListedCommit(objects, parent)];
  const [grandparent] = parentCommit.parents;
  const older = grandparent === undefined ? null : await readTreeId(objects, grandparent);
  const parentChanges = new Map(
    (await diffTrees(objects, older, parentCommit.tree)).map((change) => [change.path, change]),
  );
  const extraFiles = [...parentChanges.values()]
    .filter((one) => unsupportedReason(one) === null)
    .slice(0, MAX_EXTRA_FILES_PER_COMMIT);
  const { moved, rest } = pairMoves(await diffTrees(objects, parentCommit.tree, tree));
  for (const one of [...moved, ...rest.map((change) => ({ change, from: null }))]) {
    const odd = unsupportedReason(one.change);
    const usable =
      odd === null ? await toUsableChange(objects, one, { commit: id, parentChanges, extraFiles, diffBase }) : null;
    if (usable !== null) yield { kind: 'usable', change: usable };
    else yield skipChange(id, one.change.path, odd ?? 'content that is not here');
  }
}

function skipChange(commit: string, path: string, reason: string): ReadChange {
  return { kind: 'skipped', skipped: { commit, path, reason } };
}

async function readListedCommit(objects: GitObjectReader, id: string): Promise<ReturnType<typeof parseCommit>> {
  const object = await objects.read(id);
  if (object?.kind !== 'commit') throw new GitError(`commit ${id} is not there`);
  return parseCommit(object.bytes);
}

async function readTreeId(objects: GitObjectReader, id: string): Promise<string> {
  return (await readListedCommit(objects, id)).tree;
}

type PossibleMove = { readonly change: PathChange; readonly from: PathChange | null };

/** A file that went, and one of the same bytes and mode that came. */
function pairMoves(changes: readonly PathChange[]): { moved: readonly PossibleMove[]; rest: readonly PathChange[] } {
  const gone = new Map(changes.filter(({ after }) => after === null).map((one) => [contentKeyOf(one.before), one]));
  const moved: PossibleMove[] = [];
  const used = new Set<PathChange>();
  for (const change of changes) {
    const from = change.before === null ? gone.get(contentKeyOf(change.after)) : undefined;
    if (from === undefined || used.has(from) || unsupportedReason(from) !== null) continue;
    moved.push({ change, from });
    used.add(from).add(change);
  }
  return { moved, rest: changes.filter((change) => !used.has(change)) };
}

function contentKeyOf(side: GitTreeEntry | null): string {
  return `${side?.mode} ${side?.id}`;
}

/** Why no tool can make this change; null where one might. */
function unsupportedReason({ isUtf8, before, after }: PathChange): string | null {
  if (!isUtf8) return 'a name that is no UTF-8';
  if ([before, after].some((side) => side !== null && !isRegularFile(side.mode)))
    return 'a link, a submodule or an old mode';
  return before?.id === after?.id ? 'a mode alone' : null;
}

function isRegularFile(mode: string): mode is '100644' | '100755' {
  return mode === '100644' || mode === '100755';
}

/** Null where the repository lacks the content of a side, as partial copies do. */
async function toUsableChange(
  objects: GitObjectReader,
  { change, from }: PossibleMove,
  around: CommitContext,
): Promise<UsableChange | null> {
  const source = (from ?? change).before;
  const [before, after] = [await readFileVersion(objects, source), await readFileVersion(objects, change.after)];
  if ((before === null) !== (source === null) || (after === null) !== (change.after === null)) return null;
  const paths = from === null ? [change] : [change, from];
  const shownFiles: ShownFile[] = [];
  for (const one of paths) shownFiles.push(await toShownFile(objects, one, around));
  const { commit, extraFiles } = around;
  return { change: { commit, path: change.path, from: from?.path ?? null, before, after }, shownFiles, extraFiles };
}

async function toShownFile(
  objects: GitObjectReader,
  { path, before }: PathChange,
  { parentChanges, diffBase }: CommitContext,
): Promise<ShownFile> {
  const head = await readFileVersion(objects, before);
  if (diffBase === 'files') return { path, base: null, head };
  const earlier = parentChanges.get(path);
  return { path, base: earlier === undefined ? head : await readFileVersion(objects, earlier.before), head };
}

/** Null where there is no such side, or its content is not in this repository. */
async function readFileVersion(objects: GitObjectReader, side: GitTreeEntry | null): Promise<VersionedFile> {
  if (side === null || !isRegularFile(side.mode)) return null;
  const object = await objects.read(side.id);
  return object === null ? null : { mode: side.mode, bytes: object.bytes };
}
