import { changeDigest, type DigestInput } from '../../core/edits/digest.ts';
import type { LineRange } from '../../core/edits/region.ts';
import type { TrailerGroup } from '../../core/policy/commit-message.ts';
import { type ChangedFileContents, type FileTexts, hasOnlyRanges, regionOfRange } from './file-versions.ts';

/** The result for one group of trailers: the path of its change, or the problem. */
type GroupCheck = {
  readonly group: TrailerGroup;
  readonly path: string | null;
  readonly problem: string | null;
};

/** The result for a commit. `unexplained` lists paths with changes that no trailers name. */
export type TrailerCheck = {
  readonly groups: readonly GroupCheck[];
  readonly unexplained: readonly { readonly path: string; readonly problem: string }[];
};

/** The change that a group names: lines of a file, or whole files. */
type TrailerMatch =
  | { readonly kind: 'lines'; readonly path: string; readonly range: LineRange }
  | { readonly kind: 'whole'; readonly path: string; readonly paths: readonly string[] };

/**
 * Finds the file for each group of trailers: its change within the group's range must have the group's digest. The rest
 * of the commit must not contain other changes.
 */
export function checkTrailers(groups: readonly TrailerGroup[], files: readonly ChangedFileContents[]): TrailerCheck {
  const wholeFileChanges = findWholeFileChanges(files);
  const ids = new Map(groups.map(({ proposalId }, index) => [proposalId, index]));
  const matched = groups.map((group, index) => {
    const isRepeated = group.problem === null && ids.get(group.proposalId) !== index;
    const problem = isRepeated ? 'another change of this commit has the same id' : group.problem;
    return { group, problem, match: problem === null ? findTrailerMatch(group, files, wholeFileChanges) : null };
  });
  const matches = matched.flatMap(({ match }) => match ?? []);
  return {
    groups: matched.map(({ group, problem, match }) => {
      const missing = match === null ? 'no change of this commit has this digest' : null;
      return { group, path: match?.path ?? null, problem: problem ?? missing };
    }),
    unexplained: files.flatMap((file) => {
      const problem = unexplainedProblem(file, matches);
      return problem === null ? [] : [{ path: file.path, problem }];
    }),
  };
}

function findTrailerMatch(
  { digest, range }: TrailerGroup,
  files: readonly ChangedFileContents[],
  wholeFileChanges: WholeFileChanges,
): TrailerMatch | null {
  if (range === null) return wholeFileChanges.get(digest ?? '') ?? null;
  const file = files.find((candidate) => digestsOfRange(candidate, range).includes(digest ?? ''));
  return file === undefined ? null : { kind: 'lines', path: file.path, range };
}

/** All possible digests of a change in only this range. */
function digestsOfRange(file: ChangedFileContents, range: LineRange): readonly string[] {
  const versions = versionsOf(file);
  const region = versions === null ? null : regionOfRange(versions, range);
  if (region === null) return [];
  return possibleOperations(file).map((op) => digestOf(op, file, { kind: 'region', region }));
}

/** Null if a version is not text, so that it has no lines. */
function versionsOf({ before, after }: ChangedFileContents): FileTexts | null {
  if (before?.text === null || after?.text === null) return null;
  return { before: before?.text ?? '', after: after?.text ?? '' };
}

function possibleOperations({ before, after }: ChangedFileContents): readonly ('edit' | 'write' | 'delete')[] {
  if (after === null) return ['delete'];
  return before === null ? ['write'] : ['edit', 'write'];
}

function digestOf(op: 'edit' | 'write' | 'delete', file: ChangedFileContents, body: DigestInput['body']): string {
  const { path, before, after } = file;
  return changeDigest({ op, path, fromPath: null, oldMode: before?.mode ?? null, newMode: after?.mode ?? null, body });
}

/** Changes of whole files, by digest. */
type WholeFileChanges = ReadonlyMap<string, TrailerMatch>;

function findWholeFileChanges(files: readonly ChangedFileContents[]): WholeFileChanges {
  const found = new Map<string, TrailerMatch>();
  for (const file of files) {
    if (versionsOf(file) !== null) continue;
    const { path, before, after } = file;
    const body = { kind: 'blobs', oldBlob: before?.blob ?? null, newBlob: after?.blob ?? null } as const;
    for (const op of possibleOperations(file))
      found.set(digestOf(op, file, body), { kind: 'whole', path, paths: [path] });
  }
  for (const { from, to, digest } of findMoves(files)) {
    found.set(digest, { kind: 'whole', path: to, paths: [from, to] });
  }
  return found;
}

type DetectedMove = { readonly from: string; readonly to: string; readonly digest: string };

/** All pairs of a deleted and an added file with the same bytes. */
function findMoves(files: readonly ChangedFileContents[]): readonly DetectedMove[] {
  const deletedByBlob = Map.groupBy(
    files.filter(({ after }) => after === null),
    ({ before }) => before?.blob,
  );
  return files.flatMap(({ path: to, before, after }) => {
    if (before !== null || after === null) return [];
    return (deletedByBlob.get(after.blob) ?? []).map(({ path: from, before: source }) => {
      const body = { kind: 'blobs', oldBlob: after.blob, newBlob: after.blob } as const;
      const modes = { oldMode: source?.mode ?? null, newMode: after.mode };
      return { from, to, digest: changeDigest({ op: 'move', path: to, fromPath: from, ...modes, body }) };
    });
  });
}

/** The problem of a file with changes beyond its trailers; null if there are none. */
function unexplainedProblem(file: ChangedFileContents, matches: readonly TrailerMatch[]): string | null {
  const { path, before, after } = file;
  const matchesOfFile = matches.filter((match) =>
    match.kind === 'lines' ? match.path === path : match.paths.includes(path),
  );
  if (matchesOfFile.length === 0) return 'no trailers name this change';
  if (before !== null && after !== null && before.mode !== after.mode) return 'its mode was changed';
  const ranges = matchesOfFile.flatMap((match) => (match.kind === 'lines' ? [match.range] : []));
  if (ranges.length === 0) return matchesOfFile.length === 1 ? null : 'several trailers name all of it';
  const versions = versionsOf(file);
  const isExplained = ranges.length === matchesOfFile.length && versions !== null && hasOnlyRanges(versions, ranges);
  return isExplained ? null : 'it differs outside the lines that its trailers name';
}
