import { type FileChange, type FileMode, MAX_WHOLE_FILE_BYTES, type Region } from '../../core/edits/change.ts';
import { changeDigest, type DigestInput, setDigest } from '../../core/edits/digest.ts';
import { CONTEXT_LINES, EMPTY_REGION, type LineRange, regionBetween, regionRange } from '../../core/edits/region.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { splitLines } from '../../core/edits/text/lines.ts';
import {
  addressDomain,
  hasOddTrailer,
  mentionsTrailers,
  parseTrailerGroups,
  type TrailerGroup,
} from '../../core/policy/commit-message.ts';
import type { GitCommit, GitReader, GitTreeEntry, PathChange } from '../git/repository.ts';

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
  /** The bots whose commits in the range name changes. Without `slug`, they are the App too. */
  readonly bots?: ReadonlySet<string>;
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
    return isAppsOwn(commit, rule) ? all('mismatch', 'its author is the App, and it names no change') : [];
  if (hasOddTrailer(commit.message)) return all('mismatch', 'it has a trailer in a form that the App never writes');
  if (groups.length > MAX_TRAILER_GROUPS) return all('mismatch', `it names ${groups.length} changes`).slice(0, 1);
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

/**
 * The author of the App's own commits is its bot. GitHub commits them, and another committer may have rebased them. On
 * GitHub the address says whose commit it is, with any name.
 */
function isInAppsName(commit: GitCommit, { slug, host }: AppRule): boolean {
  const login = loginOf(commit, host);
  return login.endsWith('[bot]') && (slug === null || login === `${slug.toLowerCase()}[bot]`);
}

/** The account of the author's address; empty for an address that no GitHub server gives. */
function loginOf({ author }: GitCommit, host: string): string {
  const [, login = '', domain] = /^\d+\+([^@]+)@(.+)$/.exec(author.email.toLowerCase()) ?? [];
  return domain === `users.noreply.${addressDomain(host.toLowerCase())}` ? login : '';
}

/** Whether a bot's commit without readable trailers is the App's: by the bot's login, or by trailers in another form. */
function isAppsOwn(commit: GitCommit, { slug, bots, host }: AppRule): boolean {
  const login = loginOf(commit, host);
  return (
    slug !== null || bots?.has(login) === true || login.includes('countersign') || mentionsTrailers(commit.message)
  );
}

type FileResult = VersionPair | { readonly path: string; readonly unsupported: string };

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

function isFileMode(mode: string): mode is GitFile['mode'] {
  return mode === '100644' || mode === '100755';
}

/** The reason why no proposal can cause this version, if that is so. */
function toVersion({ mode, id }: GitTreeEntry, bytes: Buffer | null | undefined): GitFile | string {
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

/** One version of a file in git. `text` is null if its bytes are not UTF-8 or contain NUL. */
type GitFile = { readonly mode: FileMode; readonly blob: string; readonly text: string | null };

/** A path that a commit changed. A version that does not exist is null. */
type VersionPair = {
  readonly path: string;
  readonly before: GitFile | null;
  readonly after: GitFile | null;
};

/** A file, or the two files of a move. */
type Versions = VersionPair & { readonly from: string | null };

/** A commit of the App has fewer files that were moved and changed. More are not compared. */
const MAX_MOVES = 1_000;

/**
 * Finds the file that each group of trailers names. A file is found if its groups explain all of it: wherever the two
 * versions differ, the change with the digest of a group begins.
 */
function findChanges(
  groups: readonly TrailerGroup[],
  files: readonly VersionPair[],
): ReadonlyMap<TrailerGroup, Versions> {
  const open = new Set(groups);
  const found = new Map<TrailerGroup, Versions>();
  const explained = new Set<string>();
  const explain = (versions: Versions, named: readonly TrailerGroup[] | null): void => {
    for (const group of named ?? []) {
      open.delete(group);
      found.set(group, versions);
    }
    if (named === null) return;
    explained.add(versions.path);
    if (versions.from !== null) explained.add(versions.from);
  };
  for (const file of files) {
    const versions = { ...file, from: null };
    explain(versions, explainFile(versions, open));
  }
  const left = files.filter(({ path }) => !explained.has(path));
  for (const moved of listMoves(left).slice(0, MAX_MOVES)) {
    if (!explained.has(moved.path) && !explained.has(moved.from ?? '')) explain(moved, explainMove(moved, open));
  }
  return found;
}

/** All pairs of a deleted and an added file; those with the same bytes come first. */
function listMoves(files: readonly VersionPair[]): readonly Versions[] {
  const added = files.filter(({ before }) => before === null);
  const moves = files
    .filter(({ after }) => after === null)
    .flatMap(({ path: from, before }) => added.map(({ path, after }) => ({ path, from, before, after })));
  return moves.toSorted((left, right) => Number(isUnchanged(right)) - Number(isUnchanged(left)));
}

function isUnchanged({ before, after }: Versions): boolean {
  return before?.blob === after?.blob;
}

function explainMove(moved: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  const { before, after } = moved;
  if (isUnchanged(moved)) return explainWhole(moved, open);
  if (before?.text == null || after?.text == null) return null;
  const region = regionBetween(before.text, after.text);
  const range = region === null ? null : regionRange(region);
  const group = [...open].find((one) => region !== null && hasRange(one, range) && hasDigest(one, moved, region));
  return group === undefined ? null : [group];
}

function hasRange({ range }: TrailerGroup, wanted: LineRange | null): boolean {
  return range?.oldLines === wanted?.oldLines && range?.newLines === wanted?.newLines;
}

/** A file that is not text, or was moved as it is. */
function explainWhole(versions: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  const group = [...open].find((one) => one.range === null && hasDigest(one, versions, null));
  return group === undefined ? null : [group];
}

/** The groups of a file's changes in order; null if they do not explain all of it. */
function explainFile(file: Versions, open: ReadonlySet<TrailerGroup>): readonly TrailerGroup[] | null {
  // People never see modes.
  if (file.before !== null && file.after !== null && file.before.mode !== file.after.mode) return null;
  const [old, changed] = [textOf(file.before), textOf(file.after)];
  if (old === null || changed === null) return explainWhole(file, open);
  const [before, after] = [splitLines(old), splitLines(changed)];
  const ranged = [...open].filter(({ range }) => range !== null);
  if (old === changed) {
    const group = ranged.find((one) => file.before !== file.after && hasDigest(one, file, EMPTY_REGION));
    return group === undefined || old !== '' ? null : [group];
  }
  const named: TrailerGroup[] = [];
  for (let [at, to] = [0, 0]; ; ) {
    for (; at < before.length && before[at] === after[to]; at += 1) to += 1;
    if (at === before.length && to === after.length) return named;
    const group = ranged.find((one) => !named.includes(one) && beginsAt(one, at, to));
    if (group?.range == null) return null;
    named.push(group);
    [at, to] = [at + group.range.oldLines, to + group.range.newLines];
  }

  /** Whether the group's change is at these lines (0-based): those that it names, or the only ones like them. */
  function beginsAt(group: TrailerGroup, at: number, to: number): boolean {
    const { oldStart, oldLines, newLines } = group.range ?? { oldStart: 0, oldLines: 0, newLines: 0 };
    if (at + oldLines > before.length || to + newLines > after.length || oldLines + newLines === 0) return false;
    const region = {
      oldStart: oldLines === 0 ? at : at + 1,
      newStart: newLines === 0 ? to : to + 1,
      before: before.slice(Math.max(0, at - CONTEXT_LINES), at),
      old: before.slice(at, at + oldLines),
      new: after.slice(to, to + newLines),
      after: before.slice(at + oldLines, at + oldLines + CONTEXT_LINES),
    };
    return hasDigest(group, file, region) && (region.oldStart === oldStart || isUnique(before, region));
  }
}

function textOf(version: GitFile | null): string | null {
  return version === null ? '' : version.text;
}

/** Whether the lines and their context are once in the file, so that a rebased change has one place only. */
function isUnique(lines: readonly string[], { before, old, after }: Region): boolean {
  const wanted = [...before, ...old, ...after];
  const starts = lines.filter((_, start) => wanted.every((line, index) => lines[start + index] === line));
  return starts.length === 1;
}

/** `region` is null for a change without lines. */
function hasDigest({ digest }: TrailerGroup, versions: Versions, region: Region | null): boolean {
  const { path, from: fromPath, before, after } = versions;
  const modes = { oldMode: before?.mode ?? null, newMode: after?.mode ?? null };
  const blobs = { kind: 'blobs', oldBlob: before?.blob ?? null, newBlob: after?.blob ?? null } as const;
  const body: DigestInput['body'] = region === null ? blobs : { kind: 'region', region };
  return possibleOperations(versions).some((op) => changeDigest({ op, path, fromPath, ...modes, body }) === digest);
}

function possibleOperations({ before, after, from }: Versions): readonly FileChange['op'][] {
  if (from !== null) return ['move'];
  if (after === null) return ['delete'];
  return before === null ? ['write'] : ['edit', 'write'];
}
