import { type FileChange, type Region, unifiedDiffOf } from '../change.ts';
import { findAddedHidden } from '../misleading-text.ts';
import { applySuggestion, type Placement } from '../placement.ts';
import { applyRegion, regionBetween, regionIndex } from '../region.ts';
import { BYTE_ORDER_MARK, byteLength, encodeText } from '../text/characters.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';
import { dominantLineEnding, keepLineEndings } from '../text/line-endings.ts';
import { createLineTable } from '../text/line-table.ts';
import { areLinesEqual, offsetOfLine, withoutLineEnding } from '../text/lines.ts';
import { buildEditFromResult, type EditInput } from './build-edit.ts';
import { buildWrite } from './build-write.ts';
import { checkNewText } from './refusals.ts';
import { type FileLine, findRepeatedLine, isClearlyWhole } from './unclear-block.ts';
import { countChangedBlocks, formatUnifiedDiff, refineBlock } from './unified-diff.ts';

/** The lines of the file that a user's lines replace: `index` is 0-based; a `count` of 0 inserts them there. */
export type UserEditRange = { readonly index: number; readonly count: number };

/**
 * A user's lines in place of a proposal's. `baseText` is the file that the change was built on; null for a new one.
 */
export type UserEditInput = {
  readonly change: FileChange;
  /** The model's proposal: the change itself, unless that already is a user's edit. */
  readonly proposed: FileChange;
  readonly placement: Placement;
  readonly baseText: string | null;
  /** Without terminators, as in the block. */
  readonly lines: readonly string[];
  /** The user says that the lines are the whole file. */
  readonly isStatedWhole?: boolean;
};

/** Why a user's lines make no change. */
export type UserEditRefusal =
  /** A block of lines cannot replace the change, for example because it has several places. */
  | { readonly reason: 'not-one-place' }
  /** They lack the unchanged line that the suggestion block of an insertion repeats, so it would be deleted. */
  | ({ readonly reason: 'anchor-missing' } & FileLine)
  /** They repeat an unchanged line beside the change, so they might be more than a block replaces. */
  | ({ readonly reason: 'line-repeated' } & FileLine)
  /** They might be only a part of the new file. */
  | { readonly reason: 'part-or-whole' }
  /** The file already has these lines. */
  | { readonly reason: 'unchanged' }
  | { readonly reason: 'not-text' }
  | { readonly reason: 'too-large'; readonly bytes: number }
  | { readonly reason: 'diff-too-long' }
  /** They add a character that nobody sees to this line of the file. */
  | { readonly reason: 'hidden-character'; readonly codePoint: number; readonly line: number };

/** How a user's text differs from the model's proposal. */
export type UserEditDiff = {
  /** Unified diff from the proposed text to the user's. */
  readonly diff: string;
  /** The region that turns the user's text back into the proposal. */
  readonly revertRegion: Region;
};

/**
 * The result of a user's edit. `userEdit` is null if it restores the model's proposal; `isRespaced` means that the
 * lines equal those of the current proposal except for white space.
 */
export type UserEditResult =
  | {
      readonly kind: 'change';
      readonly change: FileChange;
      readonly userEdit: UserEditDiff | null;
      readonly isRespaced: boolean;
    }
  /** The lines equal those of the current proposal. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly refusal: UserEditRefusal };

/**
 * The range of the suggestion block or, without one, of the replaced lines. Null if the change has no such single
 * range.
 */
export function userEditRange(change: FileChange, placement: Placement): UserEditRange | null {
  if (change.region === null || change.op === 'move') return null;
  if (change.op === 'write' && change.base === null) return { index: 0, count: 0 };
  if (!isOneBlock(change)) return null;
  if (placement.kind !== 'suggestion') return { index: regionIndex(change.region), count: change.region.old.length };
  const first = placement.startLine ?? placement.line;
  return { index: first - 1, count: placement.line - first + 1 };
}

/** A write has one region, but its diff can show several blocks of lines with unchanged ones between them. */
function isOneBlock({ op, placeCount, payload }: FileChange): boolean {
  if (op === 'edit') return placeCount === 1;
  return op === 'write' && countChangedBlocks(unifiedDiffOf(payload) ?? '') === 1;
}

/** Turns a user's lines into a change of the same file as the proposal's. Lines outside the range stay. */
export function applyUserEdit(input: UserEditInput): UserEditResult {
  const { change, placement, baseText, lines } = input;
  const range = userEditRange(change, placement);
  if (range === null || change.region === null) return refuseUserEdit({ reason: 'not-one-place' });
  const proposed = proposedLines(change.region, placement);
  if (isSameAsProposed(input, range, proposed)) return { kind: 'unchanged' };
  const anchor = findAnchor(change.region, range);
  if (anchor !== null && !keepsAnchor(anchor, lines, proposed))
    return refuseUserEdit({ reason: 'anchor-missing', line: anchor.line, text: anchor.text });
  const repeated = placement.kind === 'suggestion' ? null : findRepeatedLine(change.region, lines);
  if (repeated !== null) return refuseUserEdit({ reason: 'line-repeated', ...repeated });
  if (baseText === null && input.isStatedWhole !== true && !isClearlyWhole(proposed, lines))
    return refuseUserEdit({ reason: 'part-or-whole' });
  const before = baseText ?? '';
  const proposedText = applyRegion(before, change.region);
  const text = baseText === null ? newFileText(proposedText, lines) : replaceRange(before, range, input);
  if (text === proposedText) return { kind: 'unchanged' };
  const refusal = checkUserEdit(change.path, text, baseText);
  if (refusal !== null) return refuseUserEdit(refusal);
  const built = buildUserEdit(input, range, text);
  if (built.kind === 'refused') return refuseUserEdit({ reason: 'diff-too-long' });
  const { region } = built.change;
  const hidden = region === null ? null : findAddedHidden(region);
  if (hidden !== null) return refuseUserEdit({ reason: 'hidden-character', ...hidden });
  const isRespaced = withoutSpace(lines) === withoutSpace(proposed);
  return { kind: 'change', change: built.change, userEdit: diffFromProposed(input, text), isRespaced };
}

type Anchor = FileLine & { readonly at: 'first' | 'last' };

/** The unchanged line in the range, which only the suggestion block of an insertion has, as its first or last line. */
function findAnchor({ before, old, oldStart, after }: Region, { index, count }: UserEditRange): Anchor | null {
  if (old.length > 0 || count === 0) return null;
  const at = index < oldStart ? 'first' : 'last';
  const text = at === 'first' ? before.at(-1) : after[0];
  return text === undefined ? null : { line: index + 1, text: withoutLineEnding(text), at };
}

/**
 * A closing bracket is often both the anchor and an inserted line, so a single one elsewhere can be the inserted one.
 */
function keepsAnchor({ text, at }: Anchor, lines: readonly string[], proposed: readonly string[]): boolean {
  const count = (all: readonly string[]): number => all.filter((line) => line === text).length;
  return lines.at(at === 'first' ? 0 : -1) === text || count(lines) >= count(proposed);
}

function refuseUserEdit(refusal: UserEditRefusal): UserEditResult {
  return { kind: 'refused', refusal };
}

/** The file's own byte order mark can be left out. Any other one is a character that the user might have removed. */
function isSameAsProposed(
  { baseText, lines }: UserEditInput,
  { index }: UserEditRange,
  proposed: readonly string[],
): boolean {
  const isMarked = index === 0 && (baseText === null || baseText.startsWith(BYTE_ORDER_MARK));
  return isMarked
    ? areLinesEqual(withoutLeadingMark(lines), withoutLeadingMark(proposed))
    : areLinesEqual(lines, proposed);
}

function withoutLeadingMark(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line));
}

function proposedLines(region: Region, placement: Placement): readonly string[] {
  return placement.kind === 'suggestion' ? placement.lines : region.new.map(withoutLineEnding);
}

/** Uses the line endings and the final newline of the proposed file. */
function newFileText(proposed: string, lines: readonly string[]): string {
  const isUnterminated = proposed !== '' && !proposed.endsWith('\n');
  return keepLineEndings(proposed, terminateLines(lines, isUnterminated), dominantLineEnding(proposed));
}

/** Applies a suggestion as GitHub does. Without a suggestion the lines get the file's endings, as in an edit. */
function replaceRange(text: string, range: UserEditRange, { placement, lines }: UserEditInput): string {
  if (placement.kind === 'suggestion') return applySuggestion(text, placement.startLine, placement.line, lines);
  const { start, end } = rangeOffsets(text, range);
  const mark = start === 0 && text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const isUnterminated = range.count > 0 && end === text.length && !text.endsWith('\n');
  const newText = terminateLines(mark === '' ? lines : withoutLeadingMark(lines), isUnterminated);
  const replacement = keepLineEndings(text.slice(start + mark.length, end), newText, dominantLineEnding(text));
  return text.slice(0, start) + mark + replacement + text.slice(end);
}

function terminateLines(lines: readonly string[], isUnterminated: boolean): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return isUnterminated ? text.slice(0, -1) : text;
}

/** The offsets of the range. An insertion at the top includes the byte order mark, which must stay first. */
function rangeOffsets(text: string, { index, count }: UserEditRange): { readonly start: number; readonly end: number } {
  const start = offsetOfLine(text, index);
  const end = offsetOfLine(text, index + count);
  if (start === null || end === null) throw new Error(`The file has no lines ${index + 1} to ${index + count}.`);
  return { start, end: start === 0 && text.startsWith(BYTE_ORDER_MARK) ? Math.max(end, 1) : end };
}

function checkUserEdit(path: string, text: string, baseText: string | null): UserEditRefusal | null {
  if (text === baseText) return { reason: 'unchanged' };
  if (checkNewText(path, text) === null) return null;
  const bytes = byteLength(text);
  return bytes > MAX_FILE_BYTES ? { reason: 'too-large', bytes } : { reason: 'not-text' };
}

/** Neither do characters that nobody sees make other lines. */
function withoutSpace(lines: readonly string[]): string {
  return lines.join('').replace(/[\s\p{Cf}]+/gu, '');
}

function buildUserEdit(input: UserEditInput, range: UserEditRange, text: string): ReturnType<typeof buildWrite> {
  return input.change.op === 'write' ? buildAsWrite(input, text) : buildAsEdit(input, range, text);
}

function diffFromProposed({ proposed, baseText }: UserEditInput, text: string): UserEditDiff | null {
  const before = proposed.region === null ? text : applyRegion(baseText ?? '', proposed.region);
  const changed = regionBetween(before, text);
  const revertRegion = regionBetween(text, before);
  if (changed === null || revertRegion === null) return null;
  const blocks = refineBlock({ index: regionIndex(changed), old: changed.old, new: changed.new });
  const diff = formatUnifiedDiff({ path: proposed.path, existedBefore: true, base: createLineTable(before), blocks });
  return { diff, revertRegion };
}

function buildAsWrite({ change, baseText }: UserEditInput, content: string): ReturnType<typeof buildWrite> {
  const { path, payload, base } = change;
  const file = base === null ? null : { ref: base, bytes: encodeText(baseText ?? '') };
  return buildWrite({ path, repositoryName: payload.sandbox, file, content, lastReadBlob: base?.blob ?? null });
}

/** Builds the change as an `edit_file` call of exactly these lines would. */
function buildAsEdit(
  { change, baseText }: UserEditInput,
  range: UserEditRange,
  after: string,
): ReturnType<typeof buildEditFromResult> {
  const { path, base, payload } = change;
  const text = baseText ?? '';
  if (base === null) throw new Error(`${path} is new, so there is nothing to edit.`);
  const { start, end } = rangeOffsets(text, range);
  const oldString = text.slice(start, end);
  const newString = after.slice(start, after.length - (text.length - end));
  const file = { ref: base, bytes: encodeText(text) };
  const input: EditInput = {
    path,
    repositoryName: payload.sandbox,
    file,
    edits: [{ oldString, newString, replaceAll: false }],
  };
  const firstLine = range.index + 1;
  const combinedSpan = { start, end, text: newString };
  return buildEditFromResult(input, createLineTable(text), {
    kind: 'edited',
    combinedSpan,
    matches: 1,
    firstLine,
    lastLine: Math.max(firstLine, range.index + range.count),
    spans: [combinedSpan],
    isOnlyMatch: false,
  });
}
