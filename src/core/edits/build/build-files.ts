import {
  type Change,
  type FileChange,
  MAX_FILE_BYTES,
  type PathResult,
  type Region,
  type StoredFile,
  shownDiff,
} from '../change.ts';
import { combineChanges } from '../change-set.ts';
import { digestAtRegion } from '../digest.ts';
import { composeFile, regionBetween, regionIndex } from '../region.ts';
import { blobSha, encodeText } from '../text/characters.ts';
import { createLineTable, type LineTable, linesAt } from '../text/line-table.ts';
import { countLines } from '../text/lines.ts';
import {
  type BuildResult,
  buildChange,
  checkDiffSize,
  type FileVersion,
  type Refusal,
  refuse,
  versionOf,
} from './build-change.ts';
import { type DiffBlock, groupBlocks, refineBlock } from './unified-diff.ts';

/** A file that a set changes in more places is one member, so that one commit can name every set of 30 calls. */
const MAX_PLACES_OF_FILE = 10;

/**
 * A path that the calls of a set touched, before and after all of them. `origin` is the path at the head from which the
 * file came: another one if it was moved, null if it is new.
 */
export type TouchedPath = {
  readonly path: string;
  readonly before: StoredFile | null;
  readonly after: StoredFile | null;
  readonly origin: string | null;
};

/** The files that several calls touch, before and after. All paths are already checked. */
type SetInput = {
  readonly summary: string;
  readonly repositoryName: string;
  readonly touched: readonly TouchedPath[];
};

/** One change of one or several members, or a refusal. */
type SetResult = { readonly kind: 'change'; readonly change: Change } | Refusal;

type MembersResult = { readonly kind: 'members'; readonly members: readonly FileChange[] } | Refusal;

/** Builds the change from the files at the head to those after all calls. The states in between do not matter. */
export function buildSet({ summary, repositoryName, touched }: SetInput): SetResult {
  const moves = findMoves(touched);
  const members: FileChange[] = [];
  for (const one of touched) {
    const built = buildMembers(one, moves, repositoryName);
    if (built.kind === 'refused') return built;
    members.push(...built.members);
  }
  const change = combineChanges(summary, members);
  if (change === null) return refuse('No changes: every file would stay exactly as it is.');
  const sizeRefusal = checkDiffSize('these files together', shownDiff(change) ?? '');
  if (sizeRefusal !== null) return refuse(sizeRefusal);
  return { kind: 'change', change: { ...change, results: resultsOfPaths(touched) } };
}

function resultsOfPaths(touched: readonly TouchedPath[]): readonly PathResult[] {
  const changed = touched.filter(
    ({ before, after }) => before?.ref.blob !== after?.ref.blob || before?.ref.mode !== after?.ref.mode,
  );
  return changed.map(({ path, after }) => ({ path, file: after?.ref ?? null }));
}

/** Sources of moves by target: the file left its path for one that was free. */
function findMoves(touched: readonly TouchedPath[]): ReadonlyMap<string, TouchedPath> {
  const left = new Map(
    touched.filter(({ before, after }) => before !== null && after === null).map((one) => [one.path, one]),
  );
  return new Map(
    touched.flatMap(({ path, before, after, origin }) => {
      const source = before === null && after !== null && origin !== null ? left.get(origin) : undefined;
      return source === undefined ? [] : [[path, source] as const];
    }),
  );
}

function buildMembers(
  { path, before, after, origin }: TouchedPath,
  moves: ReadonlyMap<string, TouchedPath>,
  repositoryName: string,
): MembersResult {
  const source = moves.get(path);
  if (source !== undefined && source.before !== null && after !== null)
    return asMembers(buildMove({ from: source.path, to: path, repositoryName, file: source.before, after }));
  if (before?.ref.blob === after?.ref.blob) return NO_MEMBERS;
  if (after === null) {
    const isMoved = [...moves.values()].some((one) => one.path === path);
    return isMoved || before === null ? NO_MEMBERS : asMembers(buildDelete({ path, repositoryName, file: before }));
  }
  const text = versionOf(after);
  if (text.text === null) return refuse(`Not proposed: ${path} is not text, so it can only be moved or deleted.`);
  const common = { path, repositoryName, after: text };
  if (before === null) return asMembers(buildChange({ ...common, op: 'write', before }));
  // A new text in the place of a file keeps its mode.
  if (origin !== null && before.ref.mode !== after.ref.mode)
    return refuse(`Not proposed: ${path} would get another mode than ${before.ref.mode}.`);
  return buildPlaces({ path, repositoryName, before: versionOf(before) }, text.text);
}

const NO_MEMBERS: MembersResult = { kind: 'members', members: [] };

function asMembers(built: BuildResult): MembersResult {
  return built.kind === 'refused' ? built : { kind: 'members', members: [built.change] };
}

/** A text file whose lines change. */
type EditedFile = { readonly path: string; readonly repositoryName: string; readonly before: FileVersion };

/** One member for each place, as far apart as the hunks of a diff. */
function buildPlaces(file: EditedFile, newText: string): MembersResult {
  const { path, before } = file;
  if (before.text === null) return refuse(`Not proposed: ${path} is not text, so it can only be moved or deleted.`);
  const members: FileChange[] = [];
  for (const text of splitChange(before.text, newText)) {
    const bytes = encodeText(text);
    const after = { ref: { ...before.ref, blob: blobSha(bytes) }, text, bytes: bytes.length };
    const built = buildChange({ ...file, op: 'edit', after });
    if (built.kind === 'refused') return built;
    members.push(built.change);
  }
  return { kind: 'members', members };
}

/** The texts after each place alone, or after all as one where they would not make exactly the same text together. */
function splitChange(before: string, after: string): readonly string[] {
  const base = createLineTable(before);
  const whole = regionBetween(before, after);
  if (whole === null) return [];
  const groups = groupBlocks(refineBlock({ index: regionIndex(whole), old: whole.old, new: whole.new }));
  if (groups.length < 2 || groups.length > MAX_PLACES_OF_FILE) return [after];
  const texts = groups.map((group) => textAfter(base, group));
  const regions = texts.flatMap((text) => regionBetween(before, text) ?? []);
  return regions.length === groups.length && makesText(before, regions, after) ? texts : [after];
}

/** The text in which only these blocks are changed. */
function textAfter(base: LineTable, group: readonly DiffBlock[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const block of group) {
    pieces.push(...linesAt(base, at, block.index), ...block.new);
    at = block.index + block.old.length;
  }
  return pieces.join('') + base.text.slice(base.offsetAt(at));
}

function makesText(text: string, regions: readonly Region[], after: string): boolean {
  try {
    return composeFile(text, regions).text === after;
  } catch {
    return false;
  }
}

/** A call on a stored file. The path is already checked. */
type FileInput = { readonly path: string; readonly repositoryName: string; readonly file: StoredFile };

/** Builds the change of a `delete_file` call. It stores every line of a text, and the blob of any other file. */
export function buildDelete({ path, repositoryName, file }: FileInput): BuildResult {
  const before = versionOf(file);
  if (before.text !== null && before.bytes > MAX_FILE_BYTES)
    return refuse(
      `Not proposed: ${path} has ${before.bytes} bytes and at most ${MAX_FILE_BYTES} bytes of text can be deleted. A person must delete it.`,
    );
  return buildChange({ op: 'delete', path, repositoryName, before, after: null });
}

/** A `move_file` call on a stored file. Both paths are already checked, and no file is at `to`. */
type MoveInput = {
  readonly from: string;
  readonly to: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
  /** The file with its new bytes, where they change as well. */
  readonly after?: StoredFile;
};

/** Builds the change of a `move_file` call. */
export function buildMove({ from, to, repositoryName, file, after = file }: MoveInput): BuildResult {
  const [before, moved] = [versionOf(file), versionOf(after)];
  if (after.ref.blob !== file.ref.blob && (before.text === null || moved.text === null))
    return refuse(`Not proposed: ${from} is not text, so it can only be moved as it is.`);
  return buildChange({ op: 'move', path: to, from, repositoryName, before, after: moved });
}

/** Builds the proposal that a file is read. It holds nothing of the file's content but its size. */
export function buildRead({ path, repositoryName, file }: FileInput): FileChange {
  const { ref, text, bytes } = versionOf(file);
  const change = {
    op: 'read',
    path,
    from: null,
    base: ref,
    result: null,
    region: null,
    placeCount: 1,
    uniqueInBase: false,
    payload: {
      type: 'read',
      description: `Read ${path}`,
      path,
      sandbox: repositoryName,
      file_lines: text === null ? null : countLines(text),
      file_bytes: bytes,
      file_exists: true,
    },
  } as const;
  return { ...change, digest: digestAtRegion(change, null) };
}
