import { type EditInput, editChange } from './build-edit.ts';
import { buildWrite } from './build-write.ts';
import type { Change, Region } from './change.ts';
import { dominantEnding, keepEndings } from './endings.ts';
import { MOST_FILE_BYTES } from './limits.ts';
import { lineTable } from './line-table.ts';
import { bareLine, offsetOfLine, sameLines } from './lines.ts';
import type { Placement } from './placement.ts';
import { unfitText } from './refusals.ts';
import { applyRegion, indexOf, regionBetween } from './region.ts';
import { applySuggestion } from './suggestion.ts';
import { BYTE_ORDER_MARK, byteLength, encodeText } from './text.ts';
import { refineBlock, unifiedDiff } from './unified-diff.ts';

/** The lines of the file that a person's own ones replace: `index` is 0-based; with a `count` of 0 they are inserted there. */
export type OwnPlace = { readonly index: number; readonly count: number };

/** A person's own lines in place of a proposal's. `baseText` is the file that the change was built on; null for a new one. */
export type OwnTextInput = {
  readonly change: Change;
  /** What the model proposed: the change itself, unless that is a person's own text already. */
  readonly proposed: Change;
  readonly placement: Placement;
  readonly baseText: string | null;
  /** Without terminators, as they stood in the block. */
  readonly lines: readonly string[];
};

/** Why a person's own lines make no change. */
export type OwnTextRefusal =
  /** The change has not one place that a block of lines could stand for. */
  | { readonly why: 'no-place' }
  /** The file already reads so. */
  | { readonly why: 'unchanged' }
  | { readonly why: 'not-text' }
  | { readonly why: 'too-large'; readonly bytes: number }
  | { readonly why: 'diff-too-long' };

/** How a person's own text differs from what the model proposed. */
export type Difference = {
  /** Unified diff from what was proposed to the person's text. */
  readonly userEdits: string;
  /** The edit that would make what was proposed of the person's text again. */
  readonly restoring: Region;
};

/** What a person's own lines come to; without a difference they are what the model proposed in the first place. */
export type OwnText =
  | { readonly kind: 'change'; readonly change: Change; readonly difference: Difference | null }
  /** Exactly what stands there. */
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly refusal: OwnTextRefusal };

/** Where own lines go: in place of the proposal's suggestion block, else of the lines that its change replaces. */
export function ownPlace(change: Change, placement: Placement): OwnPlace | null {
  if (change.region === null) return null;
  if (change.op === 'write') return change.base === null ? { index: 0, count: 0 } : null;
  if (change.op !== 'edit' || change.places !== 1) return null;
  if (placement.kind !== 'suggestion') return { index: indexOf(change.region), count: change.region.old.length };
  const first = placement.startLine ?? placement.line;
  return { index: first - 1, count: placement.line - first + 1 };
}

/** Makes a change of a person's own lines, on the same file as the proposal's. Nothing outside the replaced lines changes. */
export function ownText(input: OwnTextInput): OwnText {
  const { change, placement, baseText, lines } = input;
  const place = ownPlace(change, placement);
  if (place === null || change.region === null) return refused({ why: 'no-place' });
  if (saysTheSame(input, place, proposedLines(change.region, placement))) return { kind: 'same' };
  const before = baseText ?? '';
  const standing = applyRegion(before, change.region);
  const text = baseText === null ? newFile(standing, lines) : withLines(before, place, input);
  if (text === standing) return { kind: 'same' };
  const unfit = unfitness(change.path, text, baseText);
  return unfit === null ? changeFrom(input, place, text) : refused(unfit);
}

function refused(refusal: OwnTextRefusal): OwnText {
  return { kind: 'refused', refusal };
}

/** A file's own mark need not be repeated. Any other is a letter that somebody may have taken out. */
function saysTheSame({ baseText, lines }: OwnTextInput, { index }: OwnPlace, proposed: readonly string[]): boolean {
  const isMarked = index === 0 && (baseText === null || baseText.startsWith(BYTE_ORDER_MARK));
  return isMarked ? sameLines(withoutMark(lines), withoutMark(proposed)) : sameLines(lines, proposed);
}

/** Lines from the top of a file, but for the mark at their start. */
function withoutMark(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line));
}

function proposedLines(region: Region, placement: Placement): readonly string[] {
  return placement.kind === 'suggestion' ? placement.lines : region.new.map(bareLine);
}

/** A new file ends, and ends its lines, as the proposed one does. */
function newFile(proposed: string, lines: readonly string[]): string {
  const open = proposed !== '' && !proposed.endsWith('\n');
  return keepEndings(proposed, terminated(lines, open), dominantEnding(proposed));
}

/** A suggestion is applied as GitHub does; any other lines take the file's endings, as those of an edit do. */
function withLines(text: string, place: OwnPlace, { placement, lines }: OwnTextInput): string {
  if (placement.kind === 'suggestion') return applySuggestion(text, placement.startLine, placement.line, lines);
  const { start, end } = offsets(text, place);
  const mark = start === 0 && text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const open = place.count > 0 && end === text.length && !text.endsWith('\n');
  const fresh = terminated(mark === '' ? lines : withoutMark(lines), open);
  const kept = keepEndings(text.slice(start + mark.length, end), fresh, dominantEnding(text));
  return text.slice(0, start) + mark + kept + text.slice(end);
}

function terminated(lines: readonly string[], open: boolean): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return open ? text.slice(0, -1) : text;
}

/** Where the lines stand; a byte order mark belongs to what is put above the first of them. */
function offsets(text: string, { index, count }: OwnPlace): { readonly start: number; readonly end: number } {
  const start = offsetOfLine(text, index);
  const end = offsetOfLine(text, index + count);
  if (start === null || end === null) throw new Error(`The file has no lines ${index + 1} to ${index + count}.`);
  return { start, end: start === 0 && text.startsWith(BYTE_ORDER_MARK) ? Math.max(end, 1) : end };
}

function unfitness(path: string, text: string, baseText: string | null): OwnTextRefusal | null {
  if (text === baseText) return { why: 'unchanged' };
  if (unfitText(path, text) === null) return null;
  const bytes = byteLength(text);
  return bytes > MOST_FILE_BYTES ? { why: 'too-large', bytes } : { why: 'not-text' };
}

function changeFrom(input: OwnTextInput, place: OwnPlace, text: string): OwnText {
  const built = input.baseText === null ? writeOf(input, text) : editOf(input, place, text);
  if (built.kind === 'refused') return refused({ why: 'diff-too-long' });
  return { kind: 'change', change: built.change, difference: differenceOf(input, text) };
}

function differenceOf({ proposed, baseText }: OwnTextInput, text: string): Difference | null {
  const before = proposed.region === null ? text : applyRegion(baseText ?? '', proposed.region);
  const changed = regionBetween(before, text);
  const restoring = regionBetween(text, before);
  if (changed === null || restoring === null) return null;
  const blocks = refineBlock({ index: indexOf(changed), old: changed.old, new: changed.new });
  const userEdits = unifiedDiff({ path: proposed.path, exists: true, base: lineTable(before), blocks });
  return { userEdits, restoring };
}

function writeOf({ change }: OwnTextInput, content: string): ReturnType<typeof buildWrite> {
  const { path, payload } = change;
  return buildWrite({ path, sandbox: payload.sandbox, file: null, content, seenBlob: null });
}

/** The change that an edit of exactly these lines would have been. */
function editOf({ change, baseText }: OwnTextInput, place: OwnPlace, after: string): ReturnType<typeof editChange> {
  const { path, base, payload } = change;
  const text = baseText ?? '';
  if (base === null) throw new Error(`${path} is new, so there is nothing to edit.`);
  const { start, end } = offsets(text, place);
  const oldString = text.slice(start, end);
  const newString = after.slice(start, after.length - (text.length - end));
  const file = { ref: base, bytes: encodeText(text) };
  const input: EditInput = { path, sandbox: payload.sandbox, file, oldString, newString, replaceAll: false };
  const firstLine = place.index + 1;
  const whole = { start, end, text: newString };
  return editChange(input, lineTable(text), {
    kind: 'edited',
    whole,
    matches: 1,
    firstLine,
    lastLine: Math.max(firstLine, place.index + place.count),
    places: [whole],
    alone: false,
  });
}
