import type { Objects } from '../git/objects.ts';
import type { PathChange } from '../git/tree-changes.ts';
import { foldPath } from '../policy/fold.ts';
import type { Files } from '../simulator/git/commit-files.ts';
import { type FileChange, type Taken, type Version, versionOf } from './history.ts';
import type { SceneFiles } from './scene.ts';

/** Changes of some commits that one pull request can show, each with the files of its own commit's parent. */
export type Sample = { readonly changes: readonly FileChange[]; readonly scene: SceneFiles };

/** Changes that go together; at most `MOST_CHANGES`, and no path of one is in the way of another's. */
export type Pack = readonly Taken[];

export type Packs = {
  /** Puts a change with others; gives a pack once it is not to wait for more. */
  readonly add: (taken: Taken) => Pack | null;
  /** What is left. */
  readonly rest: () => readonly Pack[];
};

/** What one response of a model may propose. */
export const MOST_CHANGES = 10;
/** Packs that wait for more. Each holds its files' bytes. */
const MOST_WAITING = 8;
/** Files of a pull request that no change touches. */
const MOST_OTHERS = 5;

/** Puts changes together, so that there are fewer pull requests to simulate. */
export function openPacks(): Packs {
  const waiting: Taken[][] = [];
  const next = (): Pack | null => {
    const full = waiting.findIndex(({ length }) => length === MOST_CHANGES);
    if (full !== -1) return waiting.splice(full, 1)[0] ?? null;
    return waiting.length > MOST_WAITING ? (waiting.shift() ?? null) : null;
  };
  return {
    add: (taken) => {
      const pack = waiting.find((one) => fits(taken, one));
      if (pack === undefined) waiting.push([taken]);
      else pack.push(taken);
      return next();
    },
    rest: () => waiting.splice(0),
  };
}

function fits(taken: Taken, pack: Pack): boolean {
  const paths = pack.flatMap(({ held }) => held.map(({ path }) => path));
  return taken.held.every(({ path }) => !isInTheWay(path, paths));
}

/** The same path, a file where the other has a directory, or names of which only the case differs. */
function isInTheWay(path: string, others: readonly string[]): boolean {
  return others.some((other) => collide(path.split('/'), other.split('/')));
}

function collide([name, ...rest]: readonly string[], [other, ...others]: readonly string[]): boolean {
  if (name === undefined || other === undefined) return true;
  return name === other ? collide(rest, others) : foldPath(name) === foldPath(other);
}

/** The pull request of a pack. Throws as `Objects.read` does. */
export async function sampleOf(objects: Objects, pack: Pack): Promise<Sample> {
  const base = new Map<string, NonNullable<Version>>();
  const head = new Map<string, NonNullable<Version>>();
  const put = (path: string, before: Version, after: Version): void => {
    if (before !== null) base.set(path, before);
    if (after !== null) head.set(path, after);
  };
  const held = pack.flatMap((one) => one.held);
  for (const one of held) put(one.path, one.base, one.head);
  for (const { path, before, after } of othersOf(pack))
    put(path, await versionOf(objects, before), await versionOf(objects, after));
  return { changes: pack.map(({ change }) => change), scene: { base: plain(base), head: plain(head) } };
}

function othersOf(pack: Pack): readonly PathChange[] {
  const taken = pack.flatMap(({ held }) => held.map(({ path }) => path));
  const kept: PathChange[] = [];
  for (const other of pack.flatMap(({ others }) => others)) {
    if (kept.length === MOST_OTHERS) return kept;
    if (isInTheWay(other.path, taken)) continue;
    kept.push(other);
    taken.push(other.path);
  }
  return kept;
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
