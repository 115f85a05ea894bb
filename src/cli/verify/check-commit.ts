import { parseTrailerGroups, type TrailerGroup } from '../../core/policy/commit-message.ts';
import { type GitCommit, type GitLogEntry, type GitObjectReader, parseCommit } from '../git/objects.ts';
import { GitError } from '../git/run-git.ts';
import { diffTrees, type PathChange } from '../git/tree-diff.ts';
import { checkTrailers, type TrailerCheck } from './check-trailers.ts';
import { type CommitOrigin, findOrigin, type OriginRule } from './commit-origin.ts';
import { type ChangedFileContents, readChangedFile } from './file-versions.ts';

/**
 * The result for one change in a commit's trailers, or for a changed path without trailers (`proposal` is null then).
 */
export type VerifiedChange = {
  readonly commit: string;
  readonly proposal: string | null;
  readonly path: string | null;
  /** SHA-256 in hex. */
  readonly digest: string | null;
  readonly approvedBy: readonly string[];
  /** Whether the commit contains exactly the change that the trailers name, by any committer; null if unchecked. */
  readonly exact: boolean | null;
  /** Who made the commit: `app` if that is proven, `unknown` if only its names say so. */
  readonly origin: CommitOrigin['kind'];
  /**
   * `ok`: exact, and of the origin that was asked for. `copied`: somebody else's commit with the trailers; a failure
   * only if an origin was asked for.
   */
  readonly result: 'ok' | 'mismatch' | 'copied' | 'unchecked';
  /** Why the result is not `ok`, or the copy is not exact. */
  readonly problem: string | null;
  /** Why the commit counts as somebody else's. */
  readonly note: string | null;
};

/** No message of the App is nearly as long. */
const MAX_COMMIT_BYTES = 1_000_000;

/**
 * Checks a commit against its trailers; empty without trailers, unless the commits before it are missing. Throws a
 * `GitError` if an object is missing.
 */
export async function verifyCommit(
  objects: GitObjectReader,
  listed: GitLogEntry,
  rule: OriginRule,
): Promise<readonly VerifiedChange[]> {
  const object = await objects.read(listed.id, MAX_COMMIT_BYTES);
  if (object?.kind === 'too-large') return [uncheckedCommit(listed.id, 'it is longer than 1 MB')];
  if (object?.kind !== 'commit') throw new GitError(`commit ${listed.id} is missing`);
  const commit = parseCommit(object.bytes);
  const groups = parseTrailerGroups(commit.message);
  if (groups.length === 0) {
    const isCutOff = commit.parents.some((parent) => !listed.parents.includes(parent));
    return isCutOff ? [uncheckedCommit(listed.id, PARENT_MISSING)] : [];
  }
  const origin = await findOrigin(listed.id, commit, rule);
  const rows = await verifyGroups(objects, listed, commit, groups);
  if (origin.kind !== 'other') return rows.map((row) => ({ ...row, origin: origin.kind }));
  if (rule.isRequired) return rows.map((row) => rejectOrigin(row, origin.reason));
  return rows
    .filter(({ proposal }) => proposal !== null)
    .map((row) => ({ ...row, result: 'copied', note: origin.reason }));
}

const PARENT_MISSING = 'its parent is not in this clone; run git fetch --unshallow';

function uncheckedCommit(commit: string, problem: string): VerifiedChange {
  return { ...NO_TRAILERS, commit, path: null, exact: null, origin: 'other', result: 'unchecked', problem };
}

function rejectOrigin(row: VerifiedChange, reason: string): VerifiedChange {
  const problem = row.problem ?? `it is not the App's own (${reason})`;
  return { ...row, result: row.result === 'ok' ? 'mismatch' : row.result, problem, note: reason };
}

/** No commit of the App has more. The limit bounds the work for forged commits. */
const MAX_TRAILER_GROUPS = 300;

/** A move changes two paths. */
const MAX_PATHS_PER_GROUP = 2;

async function verifyGroups(
  objects: GitObjectReader,
  { id, parents }: GitLogEntry,
  commit: GitCommit,
  groups: readonly TrailerGroup[],
): Promise<readonly VerifiedChange[]> {
  const withResult = (result: VerifiedChange['result'], problem: string): readonly VerifiedChange[] =>
    groups.map((group) => toVerifiedChange(id, { group, path: null }, result, problem));
  if (groups.length > MAX_TRAILER_GROUPS)
    return withResult('mismatch', `it names ${groups.length} changes`).slice(0, 1);
  const [parent, ...others] = commit.parents;
  if (parent === undefined || others.length > 0)
    return withResult('mismatch', `it has ${commit.parents.length} parents instead of one`);
  const tree = parents.includes(parent) ? await readTreeId(objects, parent) : null;
  if (tree === null) return withResult('unchecked', PARENT_MISSING);
  const changes = await diffTrees(objects, tree, commit.tree, groups.length * MAX_PATHS_PER_GROUP);
  if (changes === null) return withResult('mismatch', 'it changes more files than its trailers allow');
  const check = await checkChangedPaths(objects, changes, groups);
  return check === null
    ? withResult('unchecked', 'its files are too large to be compared')
    : toVerifiedChanges(id, check);
}

async function readTreeId(objects: GitObjectReader, id: string): Promise<string | null> {
  const object = await objects.read(id);
  return object?.kind === 'commit' ? parseCommit(object.bytes).tree : null;
}

/** All files of a commit are in memory at once, and each takes a few times its size. */
const MAX_COMPARED_BYTES = 400_000_000;

/** Null if the files are too large. */
async function checkChangedPaths(
  objects: GitObjectReader,
  changes: readonly PathChange[],
  groups: readonly TrailerGroup[],
): Promise<TrailerCheck | null> {
  const files: ChangedFileContents[] = [];
  let bytes = 0;
  const unsupported: { readonly path: string; readonly problem: string }[] = [];
  for (const change of changes) {
    const result = await readChangedFile(objects, change);
    if (result.kind === 'unsupported') {
      unsupported.push(result);
      continue;
    }
    files.push(result.file);
    bytes += result.bytes;
    if (bytes > MAX_COMPARED_BYTES) return null;
  }
  const check = checkTrailers(groups, files);
  return { ...check, unexplained: [...check.unexplained, ...unsupported] };
}

function toVerifiedChanges(id: string, { groups, unexplained }: TrailerCheck): readonly VerifiedChange[] {
  return [
    ...groups.map((check) => toVerifiedChange(id, check, check.problem === null ? 'ok' : 'mismatch', check.problem)),
    ...unexplained.map(({ path, problem }) => {
      return { ...NO_TRAILERS, commit: id, path, exact: false, origin: 'other', result: 'mismatch', problem } as const;
    }),
  ];
}

const NO_TRAILERS = { proposal: null, digest: null, approvedBy: [], note: null } as const;

type NamedPath = { readonly group: TrailerGroup; readonly path: string | null };

function toVerifiedChange(
  commit: string,
  { group, path }: NamedPath,
  result: VerifiedChange['result'],
  problem: string | null,
): VerifiedChange {
  const { proposalId: proposal, digest, approvedBy } = group;
  const exact = result === 'unchecked' ? null : result === 'ok';
  return {
    ...{ commit, proposal: proposal ?? '?', path, digest, approvedBy },
    ...{ exact, origin: 'other', result, problem, note: null },
  };
}
