import { changeDigest, type DigestInput } from '../../core/edits/digest.ts';
import { formatRange, type LineRange } from '../../core/edits/region.ts';
import type { LineTable } from '../../core/edits/text/line-table.ts';
import type { TrailerGroup } from '../../core/policy/commit-message.ts';
import {
  type ChangedFileContents,
  type FileTexts,
  hasOnlyRanges,
  oldIndexOf,
  rangeLength,
  regionOfRange,
  textsOf,
} from './file-versions.ts';

/** The change that a group names: these lines of a file or, without a range, all of the paths. */
export type TrailerMatch = {
  readonly path: string;
  readonly paths: readonly string[];
  readonly range: LineRange | null;
};

/** Changes by digest. */
type ChangesByDigest = ReadonlyMap<string, TrailerMatch>;

/**
 * Characters of lines under digests. A commit of the App needs little more than it has itself; in a forged one every
 * range can fit every file.
 */
const MAX_DIGESTED_CHARACTERS = 250_000_000;

/** A try takes as long as so many characters, even if its lines are empty. */
const CHARACTERS_PER_TRY = 500;

/** Returns the look-up of the changes that groups name. Each range is tried once for all of its groups. */
export function createChangeFinder(
  files: readonly ChangedFileContents[],
  groups: readonly TrailerGroup[],
): {
  /** Null if no change has the digest of the group. */
  readonly find: (group: TrailerGroup) => TrailerMatch | null;
  /** Whether some of the tries were left out, because too many ranges fit too many files. */
  readonly isCutShort: () => boolean;
} {
  const wholeFiles = findWholeFileChanges(files);
  const textFiles = files.flatMap((file) => {
    const texts = textsOf(file);
    return texts === null ? [] : [{ file, texts }];
  });
  const moves = createMoveSearch(files, new Set(groups.map(({ digest }) => digest)));
  const byRange = new Map<string, ChangesByDigest>();
  let digested = 0;
  const spend: Spend = (characters) => {
    digested += characters === 0 ? 0 : CHARACTERS_PER_TRY + characters;
    return digested <= MAX_DIGESTED_CHARACTERS;
  };
  const changesOf = (range: LineRange): ChangesByDigest => {
    const key = formatRange(range);
    const found = byRange.get(key) ?? new Map([...moves(range, spend), ...findLineChanges(textFiles, range, spend)]);
    byRange.set(key, found);
    return found;
  };
  return {
    find: ({ digest, range }) => (range === null ? wholeFiles : changesOf(range)).get(digest ?? '') ?? null,
    isCutShort: () => digested > MAX_DIGESTED_CHARACTERS,
  };
}

/** Counts the characters of a try; false if that is too many in all. */
type Spend = (characters: number) => boolean;

type TextFile = { readonly file: ChangedFileContents; readonly texts: FileTexts };

/** All changes in only this range of a file. */
function findLineChanges(
  files: readonly TextFile[],
  range: LineRange,
  spend: Spend,
): readonly (readonly [string, TrailerMatch])[] {
  return files.flatMap(({ file, texts }) => {
    const region = spend(rangeLength(texts, range)) ? regionOfRange(texts, range) : null;
    if (region === null) return [];
    const match: TrailerMatch = { path: file.path, paths: [file.path], range };
    return possibleOperations(file).map((op) => [digestOf(op, file, { kind: 'region', region }), match] as const);
  });
}

function possibleOperations({ before, after }: ChangedFileContents): readonly ('edit' | 'write' | 'delete')[] {
  if (after === null) return ['delete'];
  return before === null ? ['write'] : ['edit', 'write'];
}

function digestOf(op: 'edit' | 'write' | 'delete', file: ChangedFileContents, body: DigestInput['body']): string {
  const { path, before, after } = file;
  return changeDigest({ op, path, fromPath: null, oldMode: before?.mode ?? null, newMode: after?.mode ?? null, body });
}

function findWholeFileChanges(files: readonly ChangedFileContents[]): ChangesByDigest {
  const found = new Map<string, TrailerMatch>();
  for (const file of files) {
    if (textsOf(file) !== null) continue;
    const { path, before, after } = file;
    const body = { kind: 'blobs', oldBlob: before?.blob ?? null, newBlob: after?.blob ?? null } as const;
    for (const op of possibleOperations(file))
      found.set(digestOf(op, file, body), { path, paths: [path], range: null });
  }
  for (const [from, to] of findMoves(files)) {
    const blob = to.after?.blob ?? null;
    const body = { kind: 'blobs', oldBlob: blob, newBlob: blob } as const;
    found.set(moveDigest(from, to, body), moveMatch(from, to));
  }
  return found;
}

type MovePair = readonly [from: ChangedFileContents, to: ChangedFileContents];

/** All pairs of a deleted and an added file with the same bytes. */
function findMoves(files: readonly ChangedFileContents[]): readonly MovePair[] {
  const deletedByBlob = Map.groupBy(files.filter(isDeleted), ({ before }) => before?.blob);
  return files
    .filter(isAdded)
    .flatMap((to) => (deletedByBlob.get(to.after?.blob) ?? []).map((from) => [from, to] as const));
}

function isDeleted({ after }: ChangedFileContents): boolean {
  return after === null;
}

function isAdded({ before }: ChangedFileContents): boolean {
  return before === null;
}

function moveDigest(from: ChangedFileContents, to: ChangedFileContents, body: DigestInput['body']): string {
  const [oldMode, newMode] = [from.before?.mode ?? null, to.after?.mode ?? null];
  return changeDigest({ op: 'move', path: to.path, fromPath: from.path, oldMode, newMode, body });
}

function moveMatch({ path: from }: ChangedFileContents, { path: to }: ChangedFileContents): TrailerMatch {
  return { path: to, paths: [from, to], range: null };
}

/**
 * Returns the search for pairs of a deleted and an added file that differ in exactly one range. Fingerprints of what
 * is around the range find them, so that not every pair is compared.
 */
function createMoveSearch(
  files: readonly ChangedFileContents[],
  wanted: ReadonlySet<string | null>,
): (range: LineRange, spend: Spend) => readonly (readonly [string, TrailerMatch])[] {
  const sidesOf = (side: readonly ChangedFileContents[]): readonly MoveSide[] =>
    side.flatMap((file) => {
      const lines = (file.before ?? file.after)?.lines ?? null;
      return lines === null ? [] : [{ file, lines, fingerprint: createFingerprint(lines) }];
    });
  const [deleted, added] = [sidesOf(files.filter(isDeleted)), sidesOf(files.filter(isAdded))];
  return (range, spend) => {
    const start = oldIndexOf(range);
    const addedByRest = Map.groupBy(added, ({ fingerprint }) => fingerprint(start, start + range.newLines));
    return deleted.flatMap((from) => {
      const rest = from.fingerprint(start, start + range.oldLines);
      const candidates = rest === null ? [] : (addedByRest.get(rest) ?? []);
      return candidates.flatMap((to) => {
        const texts = { before: from.lines, after: to.lines };
        const region = spend(rangeLength(texts, range)) ? regionOfRange(texts, range) : null;
        const digest = region === null ? null : moveDigest(from.file, to.file, { kind: 'region', region });
        if (digest === null || !wanted.has(digest) || !hasOnlyRanges(texts, [range])) return [];
        return [[digest, moveMatch(from.file, to.file)] as const];
      });
    });
  };
}

type MoveSide = {
  readonly file: ChangedFileContents;
  readonly lines: LineTable;
  readonly fingerprint: (start: number, end: number) => string | null;
};

/** Returns the fingerprint of a text without some of its lines; null where it has none of these. Reads it once. */
function createFingerprint(lines: LineTable): (start: number, end: number) => string | null {
  const { text, lineCount } = lines;
  const [heads, tails] = [new Int32Array(lineCount + 1), new Int32Array(lineCount + 1)];
  for (let index = 0, hash = 0, offset = 0; index < lineCount; index += 1) {
    for (const end = lines.offsetAt(index + 1); offset < end; offset += 1)
      hash = Math.imul(hash ^ text.charCodeAt(offset), HASH_FACTOR);
    heads[index + 1] = hash;
  }
  for (let index = lineCount - 1, hash = 0, offset = text.length - 1; index >= 0; index -= 1) {
    for (const start = lines.offsetAt(index); offset >= start; offset -= 1)
      hash = Math.imul(hash ^ text.charCodeAt(offset), HASH_FACTOR);
    tails[index] = hash;
  }
  return (start, end) =>
    start < 0 || end > lineCount ? null : `${heads[start] ?? 0} ${tails[end] ?? 0} ${lineCount - end}`;
}

/** The prime of FNV-1a. */
const HASH_FACTOR = 16_777_619;
