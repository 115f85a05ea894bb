import { formatNumber, pluralize } from '../../../lib/format.ts';
import { columnsOf } from '../../edits/misleading-text/line-display.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { cutBeforeHeader, parseHunks } from '../../edits/text/hunks.ts';
import { MAX_DIFF_PART_BYTES } from '../../edits/text/limits.ts';
import { escapeHiddenAndCr, fenceFor } from '../../edits/text/unicode.ts';
import { codeBlock, details } from '../shared/markdown.ts';
import {
  type AddedLine,
  addedLineWarnings,
  findLongLines,
  type RemovedLine,
  removedLineWarnings,
} from './diff-warnings.ts';

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

const WRAP_COLUMNS = 120;

/** Copies of very long added lines, wrapped, so that readers need not scroll to the right. */
export function renderWrappedLines({ longLines }: DiffView): string {
  return longLines
    .map(({ number, shown }) =>
      details(`Line ${formatNumber(number)} in full, wrapped`, codeBlock('text', wrap(shown))),
    )
    .join('\n\n');
}

function wrap(text: string): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let columns = 0;
  for (const character of text) {
    const width = columnsOf(character);
    if (columns + width > WRAP_COLUMNS) {
      rows.push(row);
      row = '';
      columns = 0;
    }
    row += character;
    columns += width;
  }
  return [...rows, row];
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

/** A unified diff prepared for a page: lines without terminators, hidden characters escaped. */
export type DiffView = {
  readonly lines: readonly string[];
  /** Added lines that are very long, as `lines` shows them. */
  readonly longLines: readonly Pick<AddedLine, 'number' | 'shown'>[];
  /** Sentences about details that a reader might overlook, as plain text. */
  readonly warnings: readonly string[];
};

/** The lines that a diff adds. `rows` are the diff's lines as they are shown. */
function addedLines(lines: readonly string[], rows: readonly string[]): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let number = 0;
  let inHunk = false;
  for (const [index, line] of lines.entries()) {
    const start = line.startsWith('@@ ') ? /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)?.[1] : undefined;
    if (start !== undefined) {
      number = Number(start);
      inHunk = true;
    } else if (inHunk && line.startsWith('+')) {
      const text = rowWithoutReturn(line, lines[index + 1]).slice(1);
      const row = rows[index] ?? '';
      added.push({ number, text, shown: row === line ? text : row.slice(1) });
      number += 1;
    } else if (line.startsWith(' ')) number += 1;
  }
  return added;
}

/** The lines that a diff takes out of a file that stays. A deleted file hides nothing: all of it goes. */
function removedLines(unifiedDiff: string, path: string): readonly RemovedLine[] {
  if (path === DELETED_FILE) return [];
  return parseHunks(unifiedDiff).flatMap(({ oldStart, lines }) =>
    lines
      .filter(({ kind }) => kind !== 'added')
      .flatMap(({ kind, text }, at) =>
        kind === 'removed' ? [{ number: oldStart + at, text: stripReturn(text) }] : [],
      ),
  );
}

const DELETED_FILE = '/dev/null';

const NO_NEWLINE_MARKER = '\\ No newline at end of file';

/** A row without the CR of its CR LF. A CR with no LF after it is part of the line. */
function rowWithoutReturn(row: string, next: string | undefined): string {
  return next === NO_NEWLINE_MARKER ? row : stripReturn(row);
}

/** Rows with the names of both versions, at the start of a diff. Later rows that look like them are lines. */
export const DIFF_HEADER_ROWS = 2;

/** The warning of a diff whose rows are shown without the CR that each of them ends with. */
export const ALL_LINES_CRLF = 'All lines end with CR LF.';

/** Removes the CR before LF where every line has it. Where only some lines have it, it stays visible. */
function stripCommonReturns(lines: readonly string[]): { readonly lines: readonly string[]; readonly crlf: boolean } {
  const rows = lines.slice(DIFF_HEADER_ROWS).filter((line) => !line.startsWith('@@ '));
  // A last line without LF is followed by a note that has no CR either.
  const crlf = rows.length > 0 && rows.every((line) => line.endsWith('\r'));
  return { lines: crlf ? lines.map(stripReturn) : lines, crlf };
}

function stripReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The path of the new version, from the diff's second row. A tab ends a path with spaces. */
function newPath([, row = '']: readonly string[]): string {
  return row.replace(/^\+{3} (?:b\/)?/, '').replace(/\t$/, '');
}

/** Prepares a unified diff for a page. */
export function createDiffView(unifiedDiff: string): DiffView {
  const raw = unifiedDiff.replace(/\n$/, '').split('\n');
  const { lines, crlf } = stripCommonReturns(raw);
  // The whole diff first, because nearly every diff has nothing to escape.
  const shown = escapeHiddenAndCr(unifiedDiff) === unifiedDiff ? lines : lines.map(escapeHiddenAndCr);
  const added = addedLines(raw, shown);
  const path = newPath(raw);
  const removed = removedLines(unifiedDiff, path);
  const warnings = [...addedLineWarnings(added, path), ...removedLineWarnings(removed, added)];
  return {
    lines: shown,
    longLines: findLongLines(added),
    warnings: crlf ? [...warnings, ALL_LINES_CRLF] : warnings,
  };
}
