import type { FileMode } from '../change/change.ts';
import { changeDigest, type DigestInput } from '../change/digest.ts';
import type { LineRange } from '../change/range.ts';
import type { TrailerGroup } from '../render/read-trailers.ts';
import { isOnlyRanges, regionOfRange, type Versions } from './replaced.ts';

/** A side of a changed path; `text` is null where its bytes are not UTF-8, or hold a NUL. */
export type FileSide = { readonly mode: FileMode; readonly blob: string; readonly text: string | null };

/** A path that a commit changed. Null is a side that is not there. */
export type ChangedFile = { readonly path: string; readonly before: FileSide | null; readonly after: FileSide | null };

/** What became of one group of trailers: the path that it names, or why it names none. */
export type GroupCheck = {
  readonly group: TrailerGroup;
  readonly path: string | null;
  readonly problem: string | null;
};

/** A commit held against its trailers; `loose` are paths that it changes in a way that no group names. */
export type ChangeCheck = {
  readonly groups: readonly GroupCheck[];
  readonly loose: readonly { readonly path: string; readonly problem: string }[];
};

/** What a group turned out to name: lines of a file, or whole files. */
type Match =
  | { readonly kind: 'lines'; readonly path: string; readonly range: LineRange }
  | { readonly kind: 'whole'; readonly path: string; readonly paths: readonly string[] };

/**
 * Finds for each group of trailers the one file whose difference has its digest, computed again from the two versions
 * with only that group's range replaced, and what of the commit no group accounts for.
 */
export function checkChange(groups: readonly TrailerGroup[], files: readonly ChangedFile[]): ChangeCheck {
  const whole = wholeChanges(files);
  const ids = new Map(groups.map(({ proposalId }, index) => [proposalId, index]));
  const matched = groups.map((group, index) => {
    const repeated = group.problem === null && ids.get(group.proposalId) !== index;
    const problem = repeated ? 'another group of this commit has the same id' : group.problem;
    return { group, problem, match: problem === null ? matchOf(group, files, whole) : null };
  });
  const matches = matched.flatMap(({ match }) => match ?? []);
  return {
    groups: matched.map(({ group, problem, match }) => {
      const missing = match === null ? 'no change of this commit has this digest' : null;
      return { group, path: match?.path ?? null, problem: problem ?? missing };
    }),
    loose: files.flatMap((file) => {
      const problem = looseness(file, matches);
      return problem === null ? [] : [{ path: file.path, problem }];
    }),
  };
}

function matchOf({ digest, range }: TrailerGroup, files: readonly ChangedFile[], whole: Whole): Match | null {
  if (range === null) return whole.get(digest ?? '') ?? null;
  const file = files.find((one) => digestsOfRange(one, range).includes(digest ?? ''));
  return file === undefined ? null : { kind: 'lines', path: file.path, range };
}

/** Every digest that replacing only this range could have. */
function digestsOfRange(file: ChangedFile, range: LineRange): readonly string[] {
  const versions = versionsOf(file);
  const region = versions === null ? null : regionOfRange(versions, range);
  if (region === null) return [];
  return operations(file).map((op) => digestOf(op, file, { kind: 'region', region }));
}

/** Null where a side that exists is no text: such a file has no lines. */
function versionsOf({ before, after }: ChangedFile): Versions | null {
  if (before?.text === null || after?.text === null) return null;
  return { before: before?.text ?? '', after: after?.text ?? '' };
}

function operations({ before, after }: ChangedFile): readonly ('edit' | 'write' | 'delete')[] {
  if (after === null) return ['delete'];
  return before === null ? ['write'] : ['edit', 'write'];
}

function digestOf(op: 'edit' | 'write' | 'delete', file: ChangedFile, body: DigestInput['body']): string {
  const { path, before, after } = file;
  return changeDigest({ op, path, fromPath: null, oldMode: before?.mode ?? null, newMode: after?.mode ?? null, body });
}

/** What a commit does to files as a whole, by digest. */
type Whole = ReadonlyMap<string, Match>;

function wholeChanges(files: readonly ChangedFile[]): Whole {
  const found = new Map<string, Match>();
  for (const file of files) {
    if (versionsOf(file) !== null) continue;
    const { path, before, after } = file;
    const body = { kind: 'blobs', oldBlob: before?.blob ?? null, newBlob: after?.blob ?? null } as const;
    for (const op of operations(file)) found.set(digestOf(op, file, body), { kind: 'whole', path, paths: [path] });
  }
  for (const { from, to, digest } of moves(files)) {
    found.set(digest, { kind: 'whole', path: to, paths: [from, to] });
  }
  return found;
}

type Move = { readonly from: string; readonly to: string; readonly digest: string };

/** Every file that went with its bytes and mode, and every one that came with the same. */
function moves(files: readonly ChangedFile[]): readonly Move[] {
  const gone = Map.groupBy(
    files.filter(({ after }) => after === null),
    ({ before }) => before?.blob,
  );
  return files.flatMap(({ path: to, before, after }) => {
    if (before !== null || after === null) return [];
    return (gone.get(after.blob) ?? []).map(({ path: from, before: source }) => {
      const body = { kind: 'blobs', oldBlob: after.blob, newBlob: after.blob } as const;
      const modes = { oldMode: source?.mode ?? null, newMode: after.mode };
      return { from, to, digest: changeDigest({ op: 'move', path: to, fromPath: from, ...modes, body }) };
    });
  });
}

/** Why a file is not what the groups that name it make of it; null where it is. */
function looseness(file: ChangedFile, matches: readonly Match[]): string | null {
  const { path, before, after } = file;
  const naming = matches.filter((match) => (match.kind === 'lines' ? match.path === path : match.paths.includes(path)));
  if (naming.length === 0) return 'no trailers name this change';
  if (before !== null && after !== null && before.mode !== after.mode) return 'its mode was changed';
  const ranges = naming.flatMap((match) => (match.kind === 'lines' ? [match.range] : []));
  if (ranges.length === 0) return naming.length === 1 ? null : 'several trailers name all of it';
  const versions = versionsOf(file);
  const only = ranges.length === naming.length && versions !== null && isOnlyRanges(versions, ranges);
  return only ? null : 'it differs outside of the lines that its trailers name';
}
