import { changeDigest, type DigestInput, setDigest } from '../../core/edits/digest.ts';
import type { LineRange } from '../../core/edits/region.ts';
import { countLines } from '../../core/edits/text/lines.ts';
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
  const matched = groups.map((group, index) => {
    const problem = group.problem ?? findIdProblem(groups, index);
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

/**
 * Why a group may not have its id; null if it may. Groups share an id only as the members of a set: side by side, with
 * the same approvers, and all of those that the digest of the set covers.
 */
function findIdProblem(groups: readonly TrailerGroup[], index: number): string | null {
  const group = groups[index];
  const sharing = groups.flatMap((one, at) => (one.proposalId === group?.proposalId ? [{ one, at }] : []));
  const set = group?.setDigest ?? null;
  if (group === undefined || set === null)
    return sharing.length > 1 ? 'another change of this commit has the same id' : null;
  const areTogether = (sharing.at(-1)?.at ?? 0) - (sharing[0]?.at ?? 0) === sharing.length - 1;
  const areAlike = sharing.every(
    ({ one }) => one.setDigest === set && one.approvedBy.join() === group.approvedBy.join(),
  );
  const isWhole = setDigest(sharing.map(({ one }) => one.digest ?? '')) === set;
  return areTogether && areAlike && isWhole ? null : 'its set has other changes than the digest of the set covers';
}

function findTrailerMatch(
  { digest, range }: TrailerGroup,
  files: readonly ChangedFileContents[],
  wholeFileChanges: WholeFileChanges,
): TrailerMatch | null {
  if (range === null) return wholeFileChanges.get(digest ?? '') ?? null;
  const file = files.find((candidate) => digestsOfRange(candidate, range).includes(digest ?? ''));
  if (file !== undefined) return { kind: 'lines', path: file.path, range };
  const move = findMoveWithText(digest ?? '', files, range);
  return move === null ? null : { kind: 'whole', path: move.to.path, paths: [move.from.path, move.to.path] };
}

/** The pair of a deleted and an added file that differ only in this range, and whose move has this digest. */
function findMoveWithText(digest: string, files: readonly ChangedFileContents[], range: LineRange) {
  const added = files.filter(({ before, after }) => before === null && typeof after?.text === 'string');
  const deleted = files.filter(({ before, after }) => after === null && typeof before?.text === 'string');
  const growth = range.newLines - range.oldLines;
  for (const from of deleted) {
    const lines = countLines(from.before?.text ?? '') + growth;
    for (const to of added) {
      if (countLines(to.after?.text ?? '') !== lines) continue;
      const region = regionOfRange({ before: from.before?.text ?? '', after: to.after?.text ?? '' }, range);
      const [oldMode, newMode] = [from.before?.mode ?? null, to.after?.mode ?? null];
      const paths = { op: 'move', path: to.path, fromPath: from.path } as const;
      if (region === null || !hasOnlyRanges({ before: from.before?.text ?? '', after: to.after?.text ?? '' }, [range]))
        continue;
      if (changeDigest({ ...paths, oldMode, newMode, body: { kind: 'region', region } }) === digest)
        return { from, to };
    }
  }
  return null;
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
