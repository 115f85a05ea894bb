import { setDigest } from '../../core/edits/digest.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { MAX_WHOLE_FILE_BYTES } from '../../core/edits/text/limits.ts';
import { addressDomain, parseTrailerGroups, type TrailerGroup } from '../../core/policy/commit-message.ts';
import type { GitCommit, GitReader, GitTreeEntry, PathChange } from '../git/repository.ts';
import { type ChangedFile, type FileVersion, findChanges } from './find-changes.ts';

/** The result for one change in a commit's trailers, or for a path without any (`proposal` is null then). */
export type VerifiedChange = {
  readonly commit: string;
  readonly proposal: string | null;
  readonly path: string | null;
  /** SHA-256 in hex. */
  readonly digest: string | null;
  readonly approvedBy: readonly string[];
  /** The committer's name, which everybody can write. */
  readonly committedBy: string;
  /** `copied`: somebody else's commit with the trailers, as after a squash. It is listed, and not checked. */
  readonly result: 'ok' | 'mismatch' | 'copied' | 'unchecked';
  /** Why the result is not `ok`. */
  readonly problem: string | null;
};

/** Which commits are in the App's name, and what they need. */
export type AppRule = {
  /** The App's name on GitHub; null accepts any App. */
  readonly slug: string | null;
  /** The host name of the GitHub server, such as `github.com`. */
  readonly host: string;
  /** Whether the clone lacks the parents of some commits. */
  readonly isShallow?: boolean;
  /** Why a commit has no signature by one of the given keys; null if it has. */
  readonly findSignatureProblem?: (commit: string) => Promise<string | null>;
};

/** No commit of the App has more. The limit bounds the work for forged commits. */
const MAX_TRAILER_GROUPS = 300;

/** A move changes two paths. */
const MAX_PATHS_PER_GROUP = 2;

/**
 * Checks a commit. One in the App's name must hold exactly the changes that its trailers name, and nothing else. Empty
 * for a commit of others without trailers. Throws a `GitError` if an object is missing.
 */
export async function verifyCommit(
  git: GitReader,
  commit: GitCommit,
  rule: AppRule,
): Promise<readonly VerifiedChange[]> {
  const groups = parseTrailerGroups(commit.message);
  const all = (result: VerifiedChange['result'], problem: string): readonly VerifiedChange[] =>
    (groups.length === 0 ? [null] : groups).map((group) => toRow(commit, group, result, problem));
  const [parent, ...others] = commit.parents;
  if (parent === undefined && rule.isShallow === true)
    return all('unchecked', 'its parent is not in this clone; run git fetch --unshallow').slice(0, 1);
  const { name, email } = commit.author;
  if (!isInAppsName(commit, rule)) return groups.length === 0 ? [] : all('copied', `by ${name} <${email}>`);
  if (groups.length === 0)
    return rule.slug === null ? [] : all('mismatch', 'its author is the App, and it names no change');
  if (groups.length > MAX_TRAILER_GROUPS) return all('mismatch', `it names ${groups.length} changes`).slice(0, 1);
  const signatureProblem = (await rule.findSignatureProblem?.(commit.id)) ?? null;
  if (signatureProblem !== null) return all('mismatch', signatureProblem);
  if (parent === undefined || others.length > 0)
    return all('mismatch', `it has ${commit.parents.length} parents instead of one`);
  const changes = await git.listChanges(parent, commit.id);
  if (changes.length > groups.length * MAX_PATHS_PER_GROUP)
    return all('mismatch', 'it changes more files than its trailers allow');
  return checkGroups(commit, groups, await readFiles(git, changes));
}

function toRow(
  { id, committer }: GitCommit,
  group: TrailerGroup | null,
  result: VerifiedChange['result'],
  problem: string | null,
  path: string | null = null,
): VerifiedChange {
  const { digest = null, approvedBy = [] } = group ?? {};
  const proposal = group === null ? null : (group.proposalId ?? '?');
  return { commit: id, proposal, path, digest, approvedBy, committedBy: committer.name, result, problem };
}

/** The author of the App's own commits is its bot. GitHub commits them, and another committer may have rebased them. */
function isInAppsName({ author }: GitCommit, { slug, host }: AppRule): boolean {
  const [, login, domain] = /^\d+\+([^@]+)@(.+)$/.exec(author.email.toLowerCase()) ?? [];
  const name = author.name.toLowerCase();
  return (
    name.endsWith('[bot]') &&
    login === name &&
    domain === `users.noreply.${addressDomain(host.toLowerCase())}` &&
    (slug === null || name === `${slug.toLowerCase()}[bot]`)
  );
}

type FileResult = ChangedFile | { readonly path: string; readonly unsupported: string };

/** Reads both versions of all paths. */
async function readFiles(git: GitReader, changes: readonly PathChange[]): Promise<readonly FileResult[]> {
  const entries = changes.flatMap(({ before, after }) => [before, after].filter((entry) => entry !== null));
  const ids = entries.filter(({ mode }) => isFileMode(mode)).map(({ id }) => id);
  const blobs = await git.readBlobs(ids, MAX_WHOLE_FILE_BYTES);
  return changes.map(({ path, before, after }) => {
    const versions = [before, after].map((entry) => (entry === null ? null : toVersion(entry, blobs.get(entry.id))));
    const unsupported = versions.find((version) => typeof version === 'string');
    if (typeof unsupported === 'string') return { path, unsupported };
    const [old, changed] = versions.map((version) => (typeof version === 'string' ? null : version));
    return { path, before: old ?? null, after: changed ?? null };
  });
}

function isFileMode(mode: string): mode is FileVersion['mode'] {
  return mode === '100644' || mode === '100755';
}

/** The reason why no proposal can cause this version, if that is so. */
function toVersion({ mode, id }: GitTreeEntry, bytes: Buffer | null | undefined): FileVersion | string {
  if (!isFileMode(mode)) return 'it is a link or a submodule, or has a mode that no proposal can set';
  if (bytes == null) return 'it is larger than every file that a proposal can change';
  const decoded = decodeText(bytes);
  return { mode, blob: id, text: decoded.kind === 'text' ? decoded.text : null };
}

function checkGroups(
  commit: GitCommit,
  groups: readonly TrailerGroup[],
  files: readonly FileResult[],
): readonly VerifiedChange[] {
  const idProblems = findIdProblems(groups);
  const problemOf = (group: TrailerGroup): string | null => group.problem ?? idProblems.get(group.proposalId) ?? null;
  const changed = files.flatMap((file) => ('unsupported' in file ? [] : [file]));
  const found = findChanges(
    groups.filter((group) => problemOf(group) === null),
    changed,
  );
  const explained = new Set([...found.values()].flatMap(({ path, from }) => [path, from]));
  return [
    ...groups.map((group) => {
      const path = found.get(group)?.path ?? null;
      const problem =
        problemOf(group) ?? (path === null ? 'no change of this commit has this digest at its lines' : null);
      return toRow(commit, group, problem === null ? 'ok' : 'mismatch', problem, path);
    }),
    ...files
      .filter(({ path }) => !explained.has(path))
      .map((file) => {
        const problem = 'unsupported' in file ? file.unsupported : 'it differs in more than its trailers name';
        return toRow(commit, null, 'mismatch', problem, file.path);
      }),
  ];
}

/**
 * Why groups may not have their id, by id. Groups share an id only as the members of a set: side by side, with the
 * same approvers, and all of those that the digest of the set covers.
 */
function findIdProblems(groups: readonly TrailerGroup[]): ReadonlyMap<string | null, string> {
  const byId = Map.groupBy(groups, ({ proposalId }) => proposalId);
  const problems = new Map<string | null, string>();
  for (const [id, sharing] of byId) {
    const sets = new Set(sharing.map((group) => group.setDigest));
    if (sets.has(null)) {
      if (sharing.length > 1) problems.set(id, 'another change of this commit has the same id');
      continue;
    }
    const start = groups.findIndex(({ proposalId }) => proposalId === id);
    const areTogether = sharing.every((group, index) => groups[start + index] === group);
    const areAlike = sets.size === 1 && new Set(sharing.map(({ approvedBy }) => approvedBy.join())).size === 1;
    const isWhole = sets.has(setDigest(sharing.map(({ digest }) => digest ?? '')));
    if (!areTogether || !areAlike || !isWhole)
      problems.set(id, 'its set has other changes than the digest of the set covers');
  }
  return problems;
}
