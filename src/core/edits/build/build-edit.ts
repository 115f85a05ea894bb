import type { z } from 'zod';
import type { EditPayload, FileChange, Region, StoredFile } from '../change.ts';
import { describeEdit } from '../describe-change.ts';
import { changeDigest } from '../digest.ts';
import { createRegionPattern, findWithContext } from '../locate-region.ts';
import { type ChangedLines, CONTEXT_LINES, createRegion, findChangedLinesFrom, regionIndex } from '../region.ts';
import { blobShaOfPieces, byteLength, encodeText } from '../text/characters.ts';
import { createLineTable, type LineTable, lineIndexAt, linesAt } from '../text/line-table.ts';
import { countLines, lineEnd, lineStart, splitLines, withoutLineEnding } from '../text/lines.ts';
import type { EditedResult, EditRequest, LineSpan } from './apply-edit.ts';
import { applyEdits, type RefusedEdit } from './apply-edits.ts';
import {
  checkNewTextBeside,
  checkSpanLength,
  matchNotFound,
  matchNotUnique,
  type Refusal,
  readEditableText,
  refuse,
  resultTooLarge,
  spanTooLong,
} from './refusals.ts';
import {
  buildRefinedDiff,
  buildReviewableDiff,
  type DiffBlock,
  type DiffFile,
  type ReviewableDiff,
  trimBlock,
} from './unified-diff.ts';

/** A change to propose, or a refusal. */
export type BuildResult = { readonly kind: 'change'; readonly change: FileChange } | Refusal;

/** Edits of a stored file, made in order as one change. The path is already checked. */
export type EditInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
  readonly edits: readonly EditRequest[];
};

/** Builds the change of `edit_file` calls. Finds every error here, before people are asked. */
export function buildEdit(input: EditInput): BuildResult {
  const { path, file, edits } = input;
  const editable = readEditableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  const lines = createLineTable(editable.text);
  const result = applyEdits(lines, edits);
  if (result.kind === 'edited') return buildEditFromResult(input, lines, result);
  const refused = describeRefusedEdit(path, result.refusal);
  return refuse(edits.length === 1 ? refused : `Edit ${result.index + 1} of ${edits.length}: ${refused}`);
}

/** For the model: why an edit cannot be made. */
function describeRefusedEdit(path: string, result: RefusedEdit): string {
  switch (result.kind) {
    case 'not-unique':
      return matchNotUnique(result.matches, result.lines);
    case 'not-found':
      return matchNotFound(path, result);
    case 'too-many-matches':
      return `Not proposed: replacing more than ${result.max} matches at once cannot be reviewed. Split it into smaller changes.`;
    case 'too-large':
      return resultTooLarge(path, result.characters);
    case 'span-too-long':
      return spanTooLong(path, result.lines);
    case 'no-change':
      return `No changes: ${path} would stay exactly as it is.`;
    case 'empty-old-string':
      return 'old_string is empty. Use write_file to create a file or to replace all of it.';
  }
}

/** Builds the change of a computed replacement. `base` is the text that it was computed for. */
export function buildEditFromResult(input: EditInput, base: LineTable, result: EditedResult): BuildResult {
  const { path, file } = input;
  const rewritten = { file, base, span: result.combinedSpan };
  const rewriteRefusal = checkRewrite(path, rewritten);
  if (rewriteRefusal !== null) return refuse(rewriteRefusal);
  const changed = findRewrittenLines(base, result.combinedSpan);
  if (changed === null) return refuse(`No changes: ${path} would stay exactly as it is.`);
  const span = withLastBlock(base, changed, result);
  const spanRefusal = checkSpanLength(path, span.end - span.index, countLines(span.newText));
  if (spanRefusal !== null) return refuse(spanRefusal);
  const region = createRegion(span, base);
  const reviewable = buildEditDiff({ path, existedBefore: true, base }, result, region);
  if (reviewable.kind === 'refused') return reviewable;
  const details = createEditDetails(input, { result, region, diff: reviewable.diff, base });
  const placeCount = result.spans.length;
  const isUnique = isUniqueInContext(base, span, result);
  const blob = rewrittenBlobSha(rewritten);
  return { kind: 'change', change: createEdit({ path, file, base, blob, region, placeCount, isUnique, details }) };
}

/** Whether the displayed lines contain all of a text that occurs only once; then they occur only once too. */
function isUniqueInContext(
  base: LineTable,
  { index, end }: ChangedLines,
  { isOnlyMatch, spans: [first] }: EditedResult,
): boolean {
  if (!isOnlyMatch || first === undefined) return false;
  const above = base.offsetAt(Math.max(0, index - CONTEXT_LINES));
  const below = base.offsetAt(Math.min(base.lineCount, end + CONTEXT_LINES));
  return above <= first.start && first.end <= below;
}

/**
 * A single span is shown as its region. Several spans are shown separately, without the unchanged text between them.
 */
function buildEditDiff(file: DiffFile, { spans }: EditedResult, region: Region): ReviewableDiff {
  if (spans.length === 1)
    return buildRefinedDiff(file, { index: regionIndex(region), old: region.old, new: region.new });
  return buildReviewableDiff(file, [...spansToBlocks(file.base, spans)]);
}

function* spansToBlocks(base: LineTable, spans: readonly LineSpan[]): Generator<DiffBlock> {
  for (const span of spans) yield toBlock(base, span);
}

function toBlock(base: LineTable, { start, end, text }: LineSpan): DiffBlock {
  const [index, next] = [lineIndexAt(base, start), lineIndexAt(base, end)];
  return trimBlock({ index, old: linesAt(base, index, next), new: splitLines(text) });
}

/**
 * The changed lines with all of the last of several blocks. A block that repeats the lines above it is shown as far
 * down as it can stand, which is below the last line that differs.
 */
function withLastBlock(base: LineTable, changed: ChangedLines, { spans }: EditedResult): ChangedLines {
  const last = spans.length > 1 ? spans.at(-1) : undefined;
  if (last === undefined) return changed;
  const block = toBlock(base, last);
  const end = Math.max(changed.end, block.index + block.old.length);
  return { ...changed, end, newText: changed.newText + linesAt(base, changed.end, end).join('') };
}

type EditDetailsInput = {
  readonly result: EditedResult;
  readonly region: Region;
  readonly diff: string;
  readonly base: LineTable;
};

function createEditDetails(input: EditInput, { result, region, diff, base }: EditDetailsInput): EditDetails {
  const first = result.firstLine - 1;
  return {
    description: describeEdit(input.path, region, result.spans.length),
    sandbox: input.repositoryName,
    ...requestedTexts(input.edits, result, base),
    unified_diff: diff,
    match_line: result.firstLine,
    match_count: result.matches,
    above: linesAt(base, first - 3, first),
    below: linesAt(base, result.lastLine, result.lastLine + 3),
  };
}

/** One edit's own texts; of several, the lines that they change together. */
function requestedTexts(
  edits: readonly EditRequest[],
  { combinedSpan: { start, end, text } }: EditedResult,
  base: LineTable,
): Pick<EditDetails, 'old_string' | 'new_string' | 'replace_all'> {
  const [only, ...more] = edits;
  return only === undefined || more.length > 0
    ? { old_string: base.text.slice(start, end), new_string: text, replace_all: false }
    : { old_string: only.oldString, new_string: only.newString, replace_all: only.replaceAll };
}

type EditDetailKey =
  | 'description'
  | 'sandbox'
  | 'old_string'
  | 'new_string'
  | 'replace_all'
  | 'unified_diff'
  | 'match_line'
  | 'match_count';

/** The payload fields that do not follow from the file. */
export type EditDetails = Pick<z.infer<typeof EditPayload>, EditDetailKey> & {
  /** Up to three lines on each side of the first match. */
  readonly above: readonly string[];
  readonly below: readonly string[];
};

/**
 * A computed edit: `blob` is the result. `isUnique` tells that the old lines with their context are known to occur
 * once.
 */
type EditParts = {
  readonly path: string;
  readonly file: StoredFile;
  readonly base: LineTable;
  readonly blob: string;
  readonly region: Region;
  readonly placeCount: number;
  readonly isUnique: boolean;
  readonly details: EditDetails;
};

/** Creates the change of an edit or of its undo. */
export function createEdit({ path, file, base, blob, region, placeCount, isUnique, details }: EditParts): FileChange {
  const { mode } = file.ref;
  const body = { kind: 'region', region } as const;
  const { above, below, ...payloadDetails } = details;
  return {
    op: 'edit',
    path,
    from: null,
    base: file.ref,
    result: { blob, mode },
    region,
    placeCount,
    uniqueInBase: isUnique || findWithContext(base, createRegionPattern(region), 'old').length === 1,
    digest: changeDigest({ op: 'edit', path, fromPath: null, oldMode: mode, newMode: mode, body }),
    payload: {
      type: 'edit',
      path,
      ...payloadDetails,
      diff_lines: countLines(details.unified_diff),
      context_before: contextText(above),
      context_after: contextText(below),
      file_lines: base.lineCount,
      file_bytes: file.bytes.length,
    },
  };
}

function contextText(lines: readonly string[]): string {
  return lines.map(withoutLineEnding).join('\n');
}

/**
 * A file in which one span of whole lines is rewritten; `base` is its text. Large files are neither copied nor
 * compared.
 */
type FileRewrite = { readonly file: StoredFile; readonly base: LineTable; readonly span: LineSpan };

/** Why the file cannot have this content; null if it can. */
export function checkRewrite(path: string, { file, base, span }: FileRewrite): string | null {
  const removedBytes = byteLength(base.text.slice(span.start, span.end));
  return checkNewTextBeside(path, span.text, file.bytes.length - removedBytes);
}

/** The blob SHA-1 of the rewritten file. */
export function rewrittenBlobSha({ file: { bytes }, base, span }: FileRewrite): string {
  const start = byteOffset(bytes, base.text, span.start);
  const end = start + byteLength(base.text.slice(span.start, span.end));
  return blobShaOfPieces([bytes.subarray(0, start), encodeText(span.text), bytes.subarray(end)]);
}

/** The text is ASCII if and only if it has as many bytes as characters. */
function byteOffset(bytes: Uint8Array, text: string, offset: number): number {
  return bytes.length === text.length ? offset : byteLength(text.slice(0, offset));
}

/**
 * The lines that differ after a rewrite; null if none do. Text behind the span matters only while it repeats the span,
 * so it looks `lookahead` characters ahead and further if needed.
 */
export function findRewrittenLines(
  base: LineTable,
  { start, end, text: newText }: LineSpan,
  lookahead = 1024,
): ChangedLines | null {
  const { text } = base;
  const from = lineStart(text, start);
  const lookaheadEnd = lineEnd(text, Math.min(text.length, end + lookahead));
  const before = text.slice(from, lookaheadEnd);
  const after = text.slice(from, start) + newText + text.slice(end, lookaheadEnd);
  if (lookaheadEnd < text.length && before !== after && (before.startsWith(after) || after.startsWith(before))) {
    return findRewrittenLines(base, { start, end, text: newText }, lookahead * 8);
  }
  return findChangedLinesFrom(base, from, before, after);
}
