import type { GitFileMode } from '../../fakes/github/git/objects.ts';
import {
  type GitCommit,
  type GitReader,
  type GitTreeEntry,
  listCommits,
  type PathChange,
} from '../../src/cli/git/repository.ts';
import { GitError } from '../../src/cli/git/run-git.ts';
import type { FixtureFiles } from '../bench/pull-request-fixture.ts';
import { countRefusal, type FidelityTotals } from './report.ts';

/** A trial of one repository. */
export type RepositoryTrial = {
  readonly repo: string;
  /** A revision range of `git log`. */
  readonly range: string;
  /** Limit of file changes; null for all. */
  readonly maxChanges: number | null;
  readonly threads: number;
};

type SampleSource = Pick<RepositoryTrial, 'range' | 'maxChanges'> & { readonly gitDir: string };

/** Changes of one commit, and a pull request that adds their files as they were before. */
export type Sample = { readonly changes: readonly CommitFileChange[]; readonly files: FixtureFiles };

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

/** The proposals that one response of the model may contain. */
export const MAX_CHANGES_PER_SAMPLE = 10;

/** The changes of a range, newest first. Adds the commits and the unsupported changes to `totals`. */
export async function* readSamples(
  git: GitReader,
  { gitDir, range, maxChanges }: SampleSource,
  totals: FidelityTotals,
): AsyncGenerator<Sample, void> {
  let left = maxChanges ?? Number.POSITIVE_INFINITY;
  for (const listed of await listCommits(gitDir, range, ['--no-merges'])) {
    if (left === 0) return;
    const changes = (await readChanges(git, listed, totals)).slice(0, left);
    left -= changes.length;
    totals.commits += 1;
    for (let start = 0; start < changes.length; start += MAX_CHANGES_PER_SAMPLE)
      yield toSample(changes.slice(start, start + MAX_CHANGES_PER_SAMPLE));
  }
}

/** The pull request adds the files, so that a suggestion block can stand on each of their lines. */
function toSample(changes: readonly CommitFileChange[]): Sample {
  const head = changes.flatMap(({ path, from, before }) => (before === null ? [] : [[from ?? path, before] as const]));
  return { changes, files: { base: new Map(), head: new Map(head) } };
}

/** The file changes of a commit that tools can make, none for a first commit. Throws a `GitError` if a tree is missing. */
async function readChanges(
  git: GitReader,
  { id: commit, parents: [parent] }: GitCommit,
  totals: FidelityTotals,
): Promise<readonly CommitFileChange[]> {
  if (parent === undefined) return [];
  const { moved, rest } = pairMoves(await git.listChanges(parent, commit));
  const usable: CommitFileChange[] = [];
  for (const { change, from } of [...moved, ...rest.map((one) => ({ change: one, from: null }))]) {
    const source = (from ?? change).before;
    const reason = unsupportedReason(change);
    const [before, after] =
      reason === null ? [await readFileVersion(git, source), await readFileVersion(git, change.after)] : [null, null];
    // Partial clones lack the content of some versions.
    const isMissing = (before === null) !== (source === null) || (after === null) !== (change.after === null);
    if (reason === null && !isMissing)
      usable.push({ commit, path: change.path, from: from?.path ?? null, before, after });
    else countRefusal(totals, reason ?? 'content missing in this repository', `${commit} ${change.path}`);
  }
  return usable;
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
