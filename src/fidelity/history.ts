import { parseCommit } from '../git/commit.ts';
import type { ListedCommit } from '../git/list-commits.ts';
import type { Objects } from '../git/objects.ts';
import { GitFailed } from '../git/run-git.ts';
import { type PathChange, type Side, treeChanges } from '../git/tree-changes.ts';
import type { FileMode } from '../simulator/git/file-mode.ts';
import type { Show } from './options.ts';

/** A version of a file; null where it is not there. */
export type Version = { readonly mode: FileMode; readonly bytes: Buffer } | null;

/** What a commit does to one path, or, with `from`, how it moves a file there. */
export type FileChange = {
  readonly commit: string;
  readonly path: string;
  readonly from: string | null;
  readonly before: Version;
  readonly after: Version;
};

/** A path that a change touches, as a pull request that shows the parent commit holds it. */
export type Held = { readonly path: string; readonly base: Version; readonly head: Version };

/** A change, and the pull request that it takes. */
export type Taken = {
  readonly change: FileChange;
  readonly held: readonly Held[];
  /** Files that the parent changed and the commit does not: they only make the pull request what it is. */
  readonly others: readonly PathChange[];
};

/** A change that no tool of an agent could ask for, and why. */
export type Skipped = { readonly commit: string; readonly path: string; readonly why: string };

export type Read =
  | { readonly kind: 'taken'; readonly taken: Taken }
  | { readonly kind: 'skipped'; readonly skipped: Skipped };

/** Of each commit. */
const MOST_OTHERS = 5;

type Around = {
  readonly commit: string;
  /** What the parent commit changed. */
  readonly shown: ReadonlyMap<string, PathChange>;
  readonly others: readonly PathChange[];
  readonly show: Show;
};

/** Takes a commit with one parent apart. Throws `GitFailed` where an object is missing. */
export async function* readChanges(objects: Objects, { id, parents }: ListedCommit, show: Show): AsyncGenerator<Read> {
  const [parent] = parents;
  if (parent === undefined || parents.length > 1) return;
  const [tree, parentCommit] = [await treeOf(objects, id), await commitOf(objects, parent)];
  const [grandparent] = parentCommit.parents;
  const older = grandparent === undefined ? null : await treeOf(objects, grandparent);
  const shown = new Map((await treeChanges(objects, older, parentCommit.tree)).map((change) => [change.path, change]));
  const others = [...shown.values()].filter((one) => oddity(one) === null).slice(0, MOST_OTHERS);
  const { moved, rest } = pairMoves(await treeChanges(objects, parentCommit.tree, tree));
  for (const one of [...moved, ...rest.map((change) => ({ change, from: null }))]) {
    const odd = oddity(one.change);
    const taken = odd === null ? await take(objects, one, { commit: id, shown, others, show }) : null;
    if (taken !== null) yield { kind: 'taken', taken };
    else yield skipped(id, one.change.path, odd ?? 'content that is not here');
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

/** Null where the repository lacks the content of a side, as partial copies do. */
async function take(objects: Objects, { change, from }: Moved, around: Around): Promise<Taken | null> {
  const source = (from ?? change).before;
  const [before, after] = [await versionOf(objects, source), await versionOf(objects, change.after)];
  if ((before === null) !== (source === null) || (after === null) !== (change.after === null)) return null;
  const paths = from === null ? [change] : [change, from];
  const held: Held[] = [];
  for (const one of paths) held.push(await holdOf(objects, one, around));
  const { commit, others } = around;
  return { change: { commit, path: change.path, from: from?.path ?? null, before, after }, held, others };
}

async function holdOf(objects: Objects, { path, before }: PathChange, { shown, show }: Around): Promise<Held> {
  const head = await versionOf(objects, before);
  if (show === 'files') return { path, base: null, head };
  const earlier = shown.get(path);
  return { path, base: earlier === undefined ? head : await versionOf(objects, earlier.before), head };
}

/** Null where there is no such side, or its content is not in this repository. */
export async function versionOf(objects: Objects, side: Side | null): Promise<Version> {
  if (side === null || !isPlain(side.mode)) return null;
  const object = await objects.read(side.id);
  return object === null ? null : { mode: side.mode, bytes: object.bytes };
}
