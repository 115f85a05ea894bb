import { formatNumber, pluralize } from '../../../lib/format.ts';
import { describeKnownHidden, describeMisleading } from '../../edits/misleading-text.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { cutBeforeHeader, parseHunks } from '../../edits/text/hunks.ts';
import { MAX_DIFF_PART_BYTES } from '../../edits/text/limits.ts';
import { fenceFor } from '../../edits/text/unicode.ts';
import { codeBlock, details } from '../shared/markdown.ts';

/** From this number of lines on, a diff is folded. */
export const FOLD_FROM_LINES = 30;

/** Longer diffs have no preview. */
const MAX_PREVIEWED_DIFF_LINES = 100;

/** A preview has at most this many lines, and at most half of the diff. */
const MAX_DIFF_PREVIEW_LINES = 50;

/** A diff that fits one comment: open if short, else folded, with a preview unless it is very long (S29). */
export function renderDiff({ lines }: DiffView, maxBytes = MAX_FIRST_PART_BYTES): string {
  if (lines.length < FOLD_FROM_LINES) return codeBlock('diff', lines);
  const whole = details(`The whole diff (${pluralize(lines.length, 'line')})`, codeBlock('diff', lines));
  if (lines.length > MAX_PREVIEWED_DIFF_LINES) return whole;
  const half = Math.floor(lines.length / 2);
  const shown = cutBeforeHeader(lines, Math.min(MAX_DIFF_PREVIEW_LINES, half));
  const preview = `${codeBlock('diff', lines.slice(0, shown))}\n\n(showing ${shown} of ${lines.length} lines)`;
  return byteLength(preview) + byteLength(whole) > maxBytes ? whole : `${preview}\n\n${whole}`;
}

/** One of several parts of a diff: open while it is undecided and the whole diff has few lines, else folded. */
export function renderDiffPart({ lines }: DiffView, part: DiffPart, isUndecided: boolean): string {
  const block = codeBlock('diff', part.lines);
  if (isUndecided && lines.length < FOLD_FROM_LINES) return block;
  const last = part.firstLine + part.lines.length - 1;
  return details(
    `Lines ${formatNumber(part.firstLine)} to ${formatNumber(last)} of ${formatNumber(lines.length)}`,
    block,
  );
}

/** A decided diff that readers have not seen before: open if short, else folded; truncated to `maxBytes`. */
export function renderOpenDiff(diff: DiffView, maxBytes: number): string {
  const open = codeBlock('diff', diff.lines);
  return diff.lines.length < FOLD_FROM_LINES && byteLength(open) <= maxBytes ? open : renderFoldedDiff(diff, maxBytes);
}

/** A decided diff, folded and truncated to `maxBytes`. */
export function renderFoldedDiff(diff: DiffView, maxBytes: number): string {
  return details('The change', renderTruncatedDiff(diff.lines, maxBytes));
}

function renderTruncatedDiff(lines: readonly string[], maxBytes: number): string {
  const keptLines = cutBeforeHeader(lines, countFittingLines(lines, 0, maxBytes));
  const note = keptLines < lines.length ? `\n\n(showing ${keptLines} of ${lines.length} lines)` : '';
  return codeBlock('diff', lines.slice(0, keptLines)) + note;
}

/** Consecutive lines of a diff that one comment shows. `firstLine` is 1-based within the diff. */
export type DiffPart = { readonly firstLine: number; readonly lines: readonly string[] };

/** The most bytes of diff in a proposal's own comment, which has more other text than the further parts. */
export const MAX_FIRST_PART_BYTES = 50_000;

/**
 * Cuts a diff between lines into parts that fit a comment, fences included; null if a line is too long for any. The
 * first part has at most `firstBytes`.
 */
export function splitDiff({ lines }: DiffView, firstBytes = MAX_FIRST_PART_BYTES): readonly DiffPart[] | null {
  const parts: DiffPart[] = [];
  for (let from = 0; from < lines.length || parts.length === 0; ) {
    const fittingLines = countFittingLines(lines, from, parts.length === 0 ? firstBytes : MAX_DIFF_PART_BYTES);
    if (fittingLines === 0) return null;
    const end = cutBeforeHeader(lines, from + fittingLines, from);
    parts.push({ firstLine: from + 1, lines: lines.slice(from, end) });
    from = end;
  }
  return parts;
}

/** The number of lines from `from` on that fit `maxBytes` in a fence of their own. */
function countFittingLines(lines: readonly string[], from: number, maxBytes: number): number {
  let usedBytes = 0;
  let ticks = 3;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    usedBytes += byteLength(line) + 1;
    ticks = Math.max(ticks, fenceFor(line).length);
    if (usedBytes + 2 * ticks > maxBytes) return at - from;
  }
  return lines.length - from;
}

/** A unified diff prepared for a page. */
export type DiffView = {
  /** The rows without terminators. */
  readonly lines: readonly string[];
  /** Details that a reader might overlook, one sentence each, as plain text. */
  readonly warnings: readonly string[];
  /** What the rows cannot show, as plain text. */
  readonly notes: readonly string[];
};

/** Prepares a unified diff for a page. */
export function createDiffView(unifiedDiff: string): DiffView {
  const hidden = describeKnownHidden(unifiedDiff);
  const returns = describeReturns(unifiedDiff);
  return {
    lines: rowsOf(unifiedDiff),
    warnings: describeMisleading(unifiedDiff),
    notes: [hidden, returns].filter((note) => note !== null),
  };
}

/** The rows of a diff as a page shows them: as they are, but no comment holds a CR or another control character. */
export function rowsOf(unifiedDiff: string): readonly string[] {
  return unifiedDiff.replace(/\n$/, '').split('\n').map(shownRow);
}

function shownRow(row: string): string {
  return row
    .replace(/\r$/, '')
    .replace(CONTROL, (character) => String.fromCodePoint(CONTROL_PICTURES + (character.codePointAt(0) ?? 0)));
}

/** Controls but the tab. Only a file that already has one can show it. */
const CONTROL = /[\p{Cc}--[\t\u007F-\u009F]]/gv;

/** U+2400 is the picture of U+0000, and so on. */
const CONTROL_PICTURES = 0x2400;

/** Tells that lines end with CR LF, which no row shows; null if none does. */
function describeReturns(unifiedDiff: string): string | null {
  const rows = parseHunks(unifiedDiff).flatMap(({ lines }) => lines);
  const returns = rows.filter(({ text }) => text.endsWith('\r')).length;
  if (returns === 0) return null;
  return returns === rows.length ? 'All lines end with CR LF.' : 'Some lines end with CR LF, others with LF.';
}
