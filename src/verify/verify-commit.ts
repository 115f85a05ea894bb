import { type Commit, parseCommit } from '../git/commit.ts';
import type { ListedCommit } from '../git/list-commits.ts';
import type { Objects } from '../git/objects.ts';
import { GitFailed } from '../git/run-git.ts';
import { type PathChange, treeChanges } from '../git/tree-changes.ts';
import { readTrailers, type TrailerGroup } from '../render/read-trailers.ts';
import { type ChangeCheck, type ChangedFile, checkChange } from './check-change.ts';
import { type OwnRule, originOf } from './origin.ts';
import { readChangedFile } from './read-files.ts';

/** What became of one change that a commit names, or of a path that none of its trailers name (`proposal` null then). */
export type Row = {
  readonly commit: string;
  readonly proposal: string | null;
  readonly path: string | null;
  /** SHA-256 in hex. */
  readonly digest: string | null;
  readonly approvedBy: readonly string[];
  /** `copied` is nobody's failure: the trailers were written for another commit. */
  readonly result: 'ok' | 'mismatch' | 'copied' | 'unchecked';
  /** Null where the commit holds exactly what the trailers name. */
  readonly problem: string | null;
  /** Whose copy it is, for copies. */
  readonly note: string | null;
};

/** More than one commit of the App can hold: a person's own doing, or somebody's way to keep us busy. */
const MOST_GROUPS = 300;
/** A move has two. */
const PATHS_OF_A_GROUP = 2;

/** Checks a listed commit against its trailers; no rows where it has none. Throws `GitFailed` where an object is missing. */
export async function verifyCommit(objects: Objects, listed: ListedCommit, rule: OwnRule): Promise<readonly Row[]> {
  const object = await objects.read(listed.id);
  if (object?.kind !== 'commit') throw new GitFailed(`commit ${listed.id} is not there`);
  const commit = parseCommit(object.bytes);
  const groups = readTrailers(commit.message);
  if (groups.length === 0) return [];
  const origin = originOf(commit, rule);
  const rows = await rowsOf(objects, listed, commit, groups);
  if (origin.kind === 'own' || (await rule.isKnown?.(listed.id)) === true) return rows;
  return rows
    .filter(({ proposal }) => proposal !== null)
    .map((row) => ({ ...row, result: 'copied', note: origin.why }));
}

async function rowsOf(
  objects: Objects,
  { id, parents }: ListedCommit,
  commit: Commit,
  groups: readonly TrailerGroup[],
): Promise<readonly Row[]> {
  const all = (result: Row['result'], problem: string): readonly Row[] =>
    groups.map((group) => rowOf(id, { group, path: null }, result, problem));
  const [parent, ...others] = commit.parents;
  if (parent === undefined || others.length > 0)
    return all('mismatch', `it has ${commit.parents.length} parents, not one`);
  const tree = parents.includes(parent) ? await treeOf(objects, parent) : null;
  if (tree === null) return all('unchecked', 'its parent is not in this clone: git fetch --unshallow');
  if (groups.length > MOST_GROUPS) return all('mismatch', `it names ${groups.length} changes`);
  const changes = await treeChanges(objects, tree, commit.tree);
  if (changes.length > groups.length * PATHS_OF_A_GROUP)
    return all('mismatch', `it changes ${changes.length} files, more than its trailers can name`);
  return judged(id, await checked(objects, changes, groups));
}

async function treeOf(objects: Objects, id: string): Promise<string | null> {
  const object = await objects.read(id);
  return object === null ? null : parseCommit(object.bytes).tree;
}

async function checked(
  objects: Objects,
  changes: readonly PathChange[],
  groups: readonly TrailerGroup[],
): Promise<ChangeCheck> {
  const files: ChangedFile[] = [];
  const strange: { readonly path: string; readonly problem: string }[] = [];
  for (const change of changes) {
    const reading = await readChangedFile(objects, change);
    if (reading.kind === 'file') files.push(reading.file);
    else strange.push(reading);
  }
  const check = checkChange(groups, files);
  return { ...check, loose: [...check.loose, ...strange] };
}

function judged(id: string, { groups, loose }: ChangeCheck): readonly Row[] {
  return [
    ...groups.map((check) => rowOf(id, check, check.problem === null ? 'ok' : 'mismatch', check.problem)),
    ...loose.map(({ path, problem }) => {
      return { ...NOTHING_NAMED, commit: id, path, result: 'mismatch', problem } as const;
    }),
  ];
}

const NOTHING_NAMED = { proposal: null, digest: null, approvedBy: [], note: null } as const;

type Named = { readonly group: TrailerGroup; readonly path: string | null };

function rowOf(commit: string, { group, path }: Named, result: Row['result'], problem: string | null): Row {
  const { proposalId: proposal, digest, approvedBy } = group;
  return { commit, proposal: proposal ?? '?', path, digest, approvedBy, result, problem, note: null };
}
