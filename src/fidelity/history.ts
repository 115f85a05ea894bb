import { parseCommit } from '../git/commit.ts';
import type { ListedCommit } from '../git/list-commits.ts';
import type { Objects } from '../git/objects.ts';
import { GitFailed } from '../git/run-git.ts';
import { type PathChange, type Side, treeChanges } from '../git/tree-changes.ts';
import type { Files } from '../simulator/git/commit-files.ts';
import type { FileMode } from '../simulator/git/file-mode.ts';
import type { Show } from './options.ts';
import type { SceneFiles } from './scene.ts';

/** A version of a file; null where it is not there. */
export type Version = { readonly mode: FileMode; readonly bytes: Buffer } | null;

/** What a commit does to one path, or, with `from`, how it moves a file there. */
export type FileChange = {
  readonly path: string;
  readonly from: string | null;
  readonly before: Version;
  readonly after: Version;
};

/** Some changes of a commit against its parent, and the pull request that shows what the parent did to the same files. */
export type Sample = {
  readonly commit: string;
  readonly changes: readonly FileChange[];
  readonly scene: SceneFiles;
};

/** A change that no tool of an agent could ask for, and why. */
export type Skipped = { readonly commit: string; readonly path: string; readonly why: string };

export type Read =
  | { readonly kind: 'sample'; readonly sample: Sample }
  | { readonly kind: 'skipped'; readonly skipped: Skipped };

/** Changes of one sample: what one response of a model may propose. */
const MOST_CHANGES = 10;
/** Files that the parent changed and the commit does not: they only make the pull request what it is. */
const MOST_OTHERS = 5;

/** Takes a commit with one parent apart. Throws `GitFailed` where an object is missing. */
export async function* readSamples(objects: Objects, { id, parents }: ListedCommit, show: Show): AsyncGenerator<Read> {
  const [parent] = parents;
  if (parent === undefined || parents.length > 1) return;
  const [tree, parentCommit] = [await treeOf(objects, id), await commitOf(objects, parent)];
  const [grandparent] = parentCommit.parents;
  const older = grandparent === undefined ? null : await treeOf(objects, grandparent);
  const shown = new Map((await treeChanges(objects, older, parentCommit.tree)).map((change) => [change.path, change]));
  const { moved, rest } = pairMoves(await treeChanges(objects, parentCommit.tree, tree));
  const others = [...shown.values()].filter((one) => oddity(one) === null).slice(0, MOST_OTHERS);
  const all = [...moved, ...rest.map((change) => ({ change, from: null }))];
  const odd = all.filter(({ change }) => oddity(change) !== null);
  for (const { change } of odd) {
    yield skipped(id, change.path, oddity(change) ?? '');
  }
  const even = all.filter(({ change }) => oddity(change) === null);
  for (let at = 0; at < even.length; at += MOST_CHANGES) {
    const loaded = await Promise.all(even.slice(at, at + MOST_CHANGES).map((one) => load(objects, one)));
    const part = loaded.filter((one) => one.file !== null);
    for (const { file, change } of loaded)
      if (file === null) yield skipped(id, change.path, 'content that is not here');
    yield { kind: 'sample', sample: await sampleOf(objects, { id, part, shown, others, show }) };
  }
}

function skipped(commit: string, path: string, why: string): Read {
  return { kind: 'skipped', skipped: { commit, path, why } };
}

async function commitOf(objects: Objects, id: string): Promise<ReturnType<typeof parseCommit>> {
  const object = await objects.read(id);
  if (object?.kind !== 'commit') throw new GitFailed(`commit ${id} is not there`);
  return parseCommit(object.bytes);
}

async function treeOf(objects: Objects, id: string): Promise<string> {
  return (await commitOf(objects, id)).tree;
}

type Moved = { readonly change: PathChange; readonly from: PathChange | null };

/** A file that went, and one of the same bytes and mode that came. */
function pairMoves(changes: readonly PathChange[]): { moved: readonly Moved[]; rest: readonly PathChange[] } {
  const gone = new Map(changes.filter(({ after }) => after === null).map((one) => [nameOf(one.before), one]));
  const moved: Moved[] = [];
  const used = new Set<PathChange>();
  for (const change of changes) {
    const from = change.before === null ? gone.get(nameOf(change.after)) : undefined;
    if (from === undefined || used.has(from) || oddity(from) !== null) continue;
    moved.push({ change, from });
    used.add(from).add(change);
  }
  return { moved, rest: changes.filter((change) => !used.has(change)) };
}

function nameOf(side: Side | null): string {
  return `${side?.mode} ${side?.id}`;
}

/** Why no tool can make this change; null where one might. */
function oddity({ exact, before, after }: PathChange): string | null {
  if (!exact) return 'a name that is no UTF-8';
  if ([before, after].some((side) => side !== null && !isPlain(side.mode))) return 'a link, a submodule or an old mode';
  return before?.id === after?.id ? 'a mode alone' : null;
}

function isPlain(mode: string): mode is '100644' | '100755' {
  return mode === '100644' || mode === '100755';
}

/** `file` is null where the repository lacks the content of a side, as partial copies do. */
type Loaded = Moved & { readonly file: FileChange | null };

type Part = {
  readonly id: string;
  readonly part: readonly Loaded[];
  readonly shown: ReadonlyMap<string, PathChange>;
  readonly others: readonly PathChange[];
  readonly show: Show;
};

async function sampleOf(objects: Objects, { id, part, shown, others, show }: Part): Promise<Sample> {
  const base = new Map<string, NonNullable<Version>>();
  const head = new Map<string, NonNullable<Version>>();
  const put = async (files: typeof base, path: string, side: Side | null): Promise<void> => {
    const version = await versionOf(objects, side);
    if (version !== null) files.set(path, version);
  };
  const touched = part.flatMap(({ change, from }) => (from === null ? [change] : [change, from]));
  for (const { path, before } of touched) {
    await put(head, path, before);
    if (show === 'parent') await put(base, path, shown.get(path)?.before ?? (shown.has(path) ? null : before));
  }
  for (const { path, before, after } of others) {
    if (clashes(path, touched)) continue;
    await put(base, path, before);
    await put(head, path, after);
  }
  const changes = part.flatMap(({ file }) => file ?? []);
  return { commit: id, changes, scene: { base: plain(base), head: plain(head) } };
}

/** A directory of the one is a file of the other. */
function clashes(path: string, touched: readonly PathChange[]): boolean {
  return touched.some((one) => one.path.startsWith(`${path}/`) || path.startsWith(`${one.path}/`) || one.path === path);
}

/** Files alone: a path below another one is left out. */
function plain(files: ReadonlyMap<string, NonNullable<Version>>): Files {
  const paths = new Set(files.keys());
  return new Map([...files].filter(([path]) => !parentsOf(path).some((parent) => paths.has(parent))));
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function load(objects: Objects, moved: Moved): Promise<Loaded> {
  const { path, after: to } = moved.change;
  const source = (moved.from ?? moved.change).before;
  const [before, after] = [await versionOf(objects, source), await versionOf(objects, to)];
  const isWhole = (before === null) === (source === null) && (after === null) === (to === null);
  return { ...moved, file: isWhole ? { path, from: moved.from?.path ?? null, before, after } : null };
}

/** Null where there is no such side, or its content is not in this repository. */
async function versionOf(objects: Objects, side: Side | null): Promise<Version> {
  if (side === null || !isPlain(side.mode)) return null;
  const object = await objects.read(side.id);
  return object === null ? null : { mode: side.mode, bytes: object.bytes };
}
