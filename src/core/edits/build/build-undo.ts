import type { FileChange, Region, StoredFile } from '../change.ts';
import { describeUndo, describeUndoOf } from '../describe-change.ts';
import { createRegionPattern, locateRegion } from '../locate-region.ts';
import { applyRegion, type LineRange, regionIndex, regionLine, regionRange, relocateRegion } from '../region.ts';
import { blobSha, decodeText, encodeText } from '../text/characters.ts';
import { createLineTable } from '../text/line-table.ts';
import { type BuildResult, createEdit, type EditDetails } from './build-edit.ts';
import { buildDelete, buildMoveWithText, createDeletion, createMove, createRestore } from './build-file-ops.ts';
import { buildWrite } from './build-write.ts';
import { encodeFile, readEditableText } from './refusals.ts';
import { buildRefinedDiff } from './unified-diff.ts';

/** The applied change `id`, and its reverse `region` in the current `file`. */
type UndoInput = {
  readonly id: string;
  readonly appliedChange: FileChange;
  readonly region: Region;
  readonly file: StoredFile;
};

/**
 * The region that reverts an applied change, in the text of the commit that contains it. Without `range` (a commit by
 * a person) it must be found by its context; null if that fails.
 */
export function reverseRegion(text: string, applied: Region, range: LineRange | null): Region | null {
  const { newStart, oldStart, old, new: newLines } = applied;
  const reverse: Region = { ...applied, oldStart: newStart, newStart: oldStart, old: newLines, new: old };
  if (range !== null) return relocateRegion(text, reverse, range.newStart);
  const index = locateRegion(createLineTable(text), createRegionPattern(reverse));
  return index === null ? null : relocateRegion(text, reverse, newLines.length === 0 ? index : index + 1);
}

/** Builds the edit that reverts an applied change. A refusal is worded so that it can be posted. */
export function buildUndo(input: UndoInput): BuildResult {
  const { appliedChange, region, file } = input;
  const { path } = appliedChange;
  const editable = readEditableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  const after = applyRegion(editable.text, region);
  const base = createLineTable(editable.text);
  const encoded = encodeFile(path, after);
  if (encoded.kind === 'refused') return encoded;
  const diffFile = { path, existedBefore: true, base };
  const reviewable = buildRefinedDiff(diffFile, { index: regionIndex(region), old: region.old, new: region.new });
  if (reviewable.kind === 'refused') return reviewable;
  const details = createUndoDetails(input, reviewable.diff);
  const { placeCount } = appliedChange;
  const blob = blobSha(encoded.bytes);
  return {
    kind: 'change',
    change: createEdit({ path, file, base, blob, region, placeCount, isUnique: false, details }),
  };
}

function createUndoDetails({ id, appliedChange, region }: UndoInput, diff: string): EditDetails {
  const { path, placeCount, payload } = appliedChange;
  return {
    description: describeUndo(path, id, region, placeCount),
    sandbox: payload.sandbox,
    old_string: region.old.join(''),
    new_string: region.new.join(''),
    replace_all: false,
    unified_diff: diff,
    match_line: regionLine(region),
    match_count: placeCount,
    above: region.before,
    below: region.after,
  };
}

/** The applied change `id`, which created, deleted or moved a file. */
type AppliedFileChange = { readonly id: string; readonly appliedChange: FileChange };

/** Builds the deletion of a file that an applied change created, as it is in the commit. */
export function undoCreation({ id, appliedChange }: AppliedFileChange, file: StoredFile): BuildResult {
  return withUndoDescription(
    id,
    buildDelete({ path: appliedChange.path, repositoryName: appliedChange.payload.sandbox, file }),
  );
}

/** Builds the deletion of a file that an applied change restored by its blob; null for any other change. */
export function undoRestore({ id, appliedChange }: AppliedFileChange): BuildResult | null {
  const { path, result: ref, payload } = appliedChange;
  if (ref === null || payload.type !== 'write') return null;
  const { sandbox: repositoryName, content_bytes: bytes } = payload;
  return withUndoDescription(id, { kind: 'change', change: createDeletion({ path, repositoryName, ref, bytes }) });
}

/**
 * Builds the write that brings a deleted file back with its bytes and mode: text from the displayed lines, anything
 * else by its blob. Null if those lines are not the file, or for any other change.
 */
export function undoDeletion({ id, appliedChange }: AppliedFileChange): BuildResult | null {
  const { path, base, region, payload } = appliedChange;
  if (base === null || payload.type !== 'delete') return null;
  const { sandbox: repositoryName, file_bytes: bytes } = payload;
  if (region === null)
    return withUndoDescription(id, {
      kind: 'change',
      change: createRestore({ path, repositoryName, ref: base, bytes }),
    });
  const content = region.old.join('');
  if (blobSha(encodeText(content)) !== base.blob) return null;
  return withUndoDescription(
    id,
    buildWrite({ path, repositoryName, file: null, content, lastReadBlob: null, mode: base.mode }),
  );
}

/** Builds the move back; null for any other change. */
export function undoMove({ id, appliedChange }: AppliedFileChange): BuildResult | null {
  const { path: from, from: to, result: ref, payload } = appliedChange;
  if (to === null || ref === null || payload.type !== 'move') return null;
  const { sandbox: repositoryName, file_lines: lines, file_bytes: bytes } = payload;
  return withUndoDescription(id, {
    kind: 'change',
    change: createMove({ from, to, repositoryName, ref, lines, bytes }),
  });
}

/** Builds the move back of a file whose text changed as well. `file` is the moved file; null for any other change. */
export function undoMoveWithText({ id, appliedChange }: AppliedFileChange, file: StoredFile): BuildResult | null {
  const { path: from, from: to, region, payload } = appliedChange;
  const decoded = decodeText(file.bytes);
  const reverse =
    region === null || decoded.kind !== 'text' ? null : reverseRegion(decoded.text, region, regionRange(region));
  if (to === null || reverse === null || decoded.kind !== 'text') return null;
  const after = encodeText(applyRegion(decoded.text, reverse));
  const { sandbox: repositoryName } = payload;
  return withUndoDescription(id, buildMoveWithText({ from, to, repositoryName, file, after }));
}

function withUndoDescription(id: string, built: BuildResult): BuildResult {
  if (built.kind === 'refused') return built;
  const { payload } = built.change;
  const description = describeUndoOf(id, payload.description);
  return { kind: 'change', change: { ...built.change, payload: { ...payload, description } } };
}
