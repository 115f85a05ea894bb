import { type Change, type FileChange, type PathResult, type Region, type StoredFile, shownDiff } from '../change.ts';
import { combineChanges, MAX_SET_MEMBERS } from '../change-set.ts';
import { describeEdit } from '../describe-change.ts';
import {
  applyRegion,
  composeFile,
  createRegion,
  findChangedLines,
  regionBetween,
  regionIndex,
  regionLine,
} from '../region.ts';
import { blobSha, decodeText, encodeText } from '../text/characters.ts';
import { createLineTable, type LineTable, linesAt } from '../text/line-table.ts';
import { countLines } from '../text/lines.ts';
import { type BuildResult, createEdit } from './build-edit.ts';
import { buildDelete, buildMove, buildMoveWithText } from './build-file-ops.ts';
import { buildWrite } from './build-write.ts';
import { checkDiffSize, checkSpanLength, type Refusal, refuse } from './refusals.ts';
import { buildRefinedDiff, type DiffBlock, groupBlocks, refineBlock } from './unified-diff.ts';

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
  if (members.length > MAX_SET_MEMBERS)
    return refuse(
      `Not proposed: together these changes touch ${members.length} places and at most ${MAX_SET_MEMBERS} can be decided as one. Propose them in smaller groups.`,
    );
  const change = combineChanges(summary, members);
  if (change === null) return refuse('No changes: every file would stay exactly as it is.');
  const sizeRefusal = checkDiffSize('these files together', shownDiff(change) ?? '');
  if (sizeRefusal !== null) return refuse(sizeRefusal);
  return { kind: 'change', change: change.op === 'set' ? { ...change, results: resultsOfPaths(touched) } : change };
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
  { path, before, after }: TouchedPath,
  moves: ReadonlyMap<string, TouchedPath>,
  repositoryName: string,
): MembersResult {
  const source = moves.get(path);
  if (source !== undefined && source.before !== null && after !== null) {
    const paths = { from: source.path, to: path, repositoryName };
    return asMembers(
      source.before.ref.blob === after.ref.blob
        ? buildMove({ ...paths, file: source.before })
        : buildMoveWithText({ ...paths, file: source.before, after: after.bytes }),
    );
  }
  if (before === null) return after === null ? NO_MEMBERS : buildNewFile(path, after, repositoryName);
  if (after !== null) return buildRegions({ path, repositoryName, file: before }, after);
  const isMoved = [...moves.values()].some((one) => one.path === path);
  return isMoved ? NO_MEMBERS : asMembers(buildDelete({ path, repositoryName, file: before }));
}

const NO_MEMBERS: MembersResult = { kind: 'members', members: [] };

function asMembers(built: BuildResult): MembersResult {
  return built.kind === 'refused' ? built : { kind: 'members', members: [built.change] };
}

function buildNewFile(path: string, { ref, bytes }: StoredFile, repositoryName: string): MembersResult {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return refuse(`Not proposed: ${path} would be a new file that is not text.`);
  const { text: content } = decoded;
  return asMembers(buildWrite({ path, repositoryName, file: null, content, lastReadBlob: null, mode: ref.mode }));
}

/** A text file whose lines change. */
type EditedFile = { readonly path: string; readonly repositoryName: string; readonly file: StoredFile };

/** One member for each place, as far apart as the hunks of a diff. */
function buildRegions(changed: EditedFile, after: StoredFile): MembersResult {
  const { path, file } = changed;
  if (file.ref.mode !== after.ref.mode)
    return refuse(`Not proposed: ${path} would get another mode than ${file.ref.mode}.`);
  if (file.ref.blob === after.ref.blob) return NO_MEMBERS;
  const [oldText, newText] = [decodeText(file.bytes), decodeText(after.bytes)];
  if (oldText.kind !== 'text' || newText.kind !== 'text')
    return refuse(`Not proposed: ${path} is not text, so it can only be moved or deleted.`);
  const base = createLineTable(oldText.text);
  const span = findChangedLines(oldText.text, newText.text, base);
  if (span === null) return NO_MEMBERS;
  const spanRefusal = checkSpanLength(path, span.end - span.index, countLines(span.newText));
  if (spanRefusal !== null) return refuse(spanRefusal);
  const whole = createRegion(span, base);
  const members: FileChange[] = [];
  for (const region of splitRegion(base, whole, newText.text)) {
    const built = buildPlace(changed, base, region);
    if (built.kind === 'refused') return built;
    members.push(built.change);
  }
  return { kind: 'members', members };
}

/** The places of a region, or the region as a whole where they would not make exactly the same text. */
function splitRegion(base: LineTable, whole: Region, after: string): readonly Region[] {
  const blocks = refineBlock({ index: regionIndex(whole), old: whole.old, new: whole.new });
  const groups = groupBlocks(blocks);
  if (groups.length < 2 || groups.length > MAX_SET_MEMBERS) return [whole];
  const regions = groups.flatMap((group) => regionOfGroup(base, group) ?? []);
  return regions.length === groups.length && makesText(base.text, regions, after) ? regions : [whole];
}

/** The region of some blocks alone, in its canonical place: equal lines can be added at several. */
function regionOfGroup(base: LineTable, group: readonly DiffBlock[]): Region | null {
  const first = group[0]?.index ?? 0;
  const pieces: string[] = [];
  let at = first;
  for (const block of group) {
    pieces.push(...linesAt(base, at, block.index), ...block.new);
    at = block.index + block.old.length;
  }
  const [start, end] = [base.offsetAt(first), base.offsetAt(at)];
  return regionBetween(base.text, base.text.slice(0, start) + pieces.join('') + base.text.slice(end), base);
}

function makesText(text: string, regions: readonly Region[], after: string): boolean {
  try {
    return composeFile(text, regions).text === after;
  } catch {
    return false;
  }
}

function buildPlace({ path, repositoryName, file }: EditedFile, base: LineTable, region: Region): BuildResult {
  const diffFile = { path, existedBefore: true, base };
  const reviewable = buildRefinedDiff(diffFile, { index: regionIndex(region), old: region.old, new: region.new });
  if (reviewable.kind === 'refused') return reviewable;
  const details = {
    description: describeEdit(path, region, 1),
    sandbox: repositoryName,
    old_string: region.old.join(''),
    new_string: region.new.join(''),
    replace_all: false,
    unified_diff: reviewable.diff,
    match_line: regionLine(region),
    match_count: 1,
    above: region.before,
    below: region.after,
  };
  const blob = blobSha(encodeText(applyRegion(base.text, region)));
  return {
    kind: 'change',
    change: createEdit({ path, file, base, blob, region, placeCount: 1, isUnique: false, details }),
  };
}
