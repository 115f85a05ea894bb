import { pluralize } from '../../../lib/format.ts';
import { type Change, type ChangePayload, type FileChange, shownDiffOf, unifiedDiffOf } from '../../edits/change.ts';
import { describeKnownHidden, describeMisleading, describeMixedPath } from '../../edits/misleading-text.ts';
import { byteLength, fenceFor } from '../../edits/text/characters.ts';
import { parseHunks } from '../../edits/text/hunks.ts';
import { isCovered } from '../../policy/path-policy.ts';
import { findProtectedFiles, type ProtectedEffect } from '../../policy/path-tables.ts';
import type { SyntaxProblem } from '../../state/proposal.ts';
import { codeBlock, details, joinBlocks } from '../shared/markdown.ts';

/** Rows of a diff that stay open; the others are folded below them. */
const OPEN_ROWS = 30;

/** So few further rows stay open too: a fold would hide the end of the diff, and save nothing. */
const FEW_ROWS = 10;

/** A diff with each row once: some thirty open ones, from the top or from those about `line` (of the old file), the others folded. */
export function renderDiff({ lines, total }: DiffView, line: number | null = null): string {
  const first = line === null ? 0 : firstOpenRow(lines, line);
  const end = lines.length <= first + OPEN_ROWS + FEW_ROWS ? lines.length : first + OPEN_ROWS;
  const [above, below] = [lines.slice(0, first), lines.slice(end)];
  return joinBlocks(
    above.length === 0 ? '' : details(`${pluralize(above.length, 'line')} above`, codeBlock('diff', above)),
    codeBlock('diff', lines.slice(first, end)),
    below.length === 0 ? '' : details(`${below.length} more lines of the diff`, codeBlock('diff', below)),
    countNote(lines.length, total),
  );
}

/** The header of the hunk that holds a line of the old file, or a row above the line; 0 where the top shows it. */
function firstOpenRow(rows: readonly string[], line: number): number {
  let [header, number] = [0, Number.NaN];
  for (const [index, row] of rows.entries()) {
    const start = /^@@ -(\d+)/.exec(row)?.[1];
    if (start !== undefined) [header, number] = [index, Number(start)];
    else if (number === line && !row.startsWith('+'))
      return index < OPEN_ROWS ? 0 : Math.max(header, index - ROWS_ABOVE);
    else if (!row.startsWith('+')) number += 1;
  }
  return 0;
}

/** Rows of a long hunk that stay open above the line. */
const ROWS_ABOVE = 10;

/** A decided diff that readers have not seen before; folded and cut where it is longer than `maxBytes`. */
export function renderOpenDiff(diff: DiffView, maxBytes: number): string {
  const open = renderDiff(diff);
  return byteLength(open) <= maxBytes ? open : renderFoldedDiff(diff, maxBytes);
}

/** A decided diff, folded and cut to `maxBytes`. */
export function renderFoldedDiff({ lines, total }: DiffView, maxBytes: number): string {
  const kept = countFittingLines(lines, maxBytes);
  return details('The change', joinBlocks(codeBlock('diff', lines.slice(0, kept)), countNote(kept, total)));
}

function countNote(shown: number, total: number): string {
  return shown < total ? `(showing ${shown} of ${total} lines)` : '';
}

/** The number of lines that fit `maxBytes` in a fence of their own. */
function countFittingLines(lines: readonly string[], maxBytes: number): number {
  let usedBytes = 0;
  let ticks = 3;
  for (const [at, line] of lines.entries()) {
    usedBytes += byteLength(line) + 1;
    ticks = Math.max(ticks, fenceFor(line).length);
    if (usedBytes + 2 * ticks > maxBytes) return at;
  }
  return lines.length;
}

/** A unified diff prepared for a page. */
export type DiffView = {
  /** The rows that a page shows, without terminators. */
  readonly lines: readonly string[];
  /** The number of all rows. A deletion shows the first ones. */
  readonly total: number;
  /** Details that a reader might overlook, one sentence each, as plain text. */
  readonly warnings: readonly string[];
  /** What the rows cannot show, as plain text. */
  readonly notes: readonly string[];
};

/** Prepares the diff of a payload for a page; null for a payload without one. */
export function createDiffView(payload: ChangePayload): DiffView | null {
  const diff = unifiedDiffOf(payload);
  const shown = shownDiffOf(payload);
  return diff === null || shown === null ? null : createTextView(shown, diff.replace(/\n$/, '').split('\n').length);
}

/** Prepares a unified diff for a page. It can be the beginning of one with `total` rows. */
export function createTextView(unifiedDiff: string, total?: number): DiffView {
  const lines = rowsOf(unifiedDiff);
  const hidden = describeKnownHidden(unifiedDiff);
  const returns = describeReturns(unifiedDiff);
  return {
    lines,
    total: total ?? lines.length,
    warnings: describeMisleading(unifiedDiff),
    notes: [hidden, returns].filter((note) => note !== null),
  };
}

/** Several diffs as one, each note once; null if none of the members has one. */
export function joinViews(views: readonly (DiffView | null)[]): DiffView | null {
  const shown = views.filter((view) => view !== null);
  if (shown.length === 0) return null;
  return {
    lines: shown.flatMap(({ lines }) => lines),
    total: shown.reduce((sum, { total }) => sum + total, 0),
    warnings: shown.flatMap(({ warnings }) => warnings),
    notes: [...new Set(shown.flatMap(({ notes }) => notes))],
  };
}

/** The rows that a page shows of a change, in order; none for a change without a diff. */
export function shownRows(change: Change): readonly string[] {
  return change.members.flatMap(({ payload }) => {
    const diff = shownDiffOf(payload);
    return diff === null ? [] : rowsOf(diff);
  });
}

/** The rows of a diff as a page shows them: as they are, but no comment holds a CR or another control character. */
function rowsOf(unifiedDiff: string): readonly string[] {
  return unifiedDiff
    .replace(/\n$/, '')
    .split('\n')
    .map((row, index, rows) => shownRow(row, rows[index + 1]?.startsWith('\\') === true));
}

/** Without an LF behind it, a CR at the end is a character of the line. */
function shownRow(row: string, isUnterminated: boolean): string {
  return (isUnterminated ? row : row.replace(/\r$/, '')).replace(CONTROL, (character) =>
    String.fromCodePoint(CONTROL_PICTURES + (character.codePointAt(0) ?? 0)),
  );
}

/** Controls but the tab. Only a file that already has one can show it. */
const CONTROL = /[\p{Cc}--[\t\u007F-\u009F]]/gv;

/** U+2400 is the picture of U+0000, and so on. */
const CONTROL_PICTURES = 0x2400;

/** Tells that lines end with CR LF, which no row shows; null if none does. */
function describeReturns(unifiedDiff: string): string | null {
  const rows = parseHunks(unifiedDiff).flatMap(({ lines }) => lines);
  const ended = rows.filter(({ isUnterminated }) => !isUnterminated);
  const returns = ended.filter(({ text }) => text.endsWith('\r')).length;
  if (returns === 0) return null;
  return returns === ended.length ? 'All lines end with CR LF.' : 'Some lines end with CR LF, others with LF.';
}

/** Sentences about the paths of a change, as plain text. */
export function fileWarnings(change: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [...newPathWarnings(change), ...protectedPathWarnings(change, protectedPaths)];
}

/** The model was told of the error and sent the change again, which can be right: grammars can be old. */
export function syntaxWarning({ path, line, what }: SyntaxProblem): string {
  return `With this change ${path} does not seem to parse: line ${line}: ${what}. The agent was told, and insists.`;
}

/** Only a path that this change adds to the repository is checked for what it looks like. */
function newPathWarnings({ path, base, from }: FileChange): readonly string[] {
  const warning = base !== null && from === null ? null : describeMixedPath(path);
  return warning === null ? [] : [warning];
}

/** Warns about files that act without anyone calling them, and about those that the settings name. */
function protectedPathWarnings({ path, from }: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [path, ...(from === null ? [] : [from])].flatMap((one) => protectionTexts(one, protectedPaths));
}

/** Sentences about a protected path; none for another one. */
function protectionTexts(path: string, protectedPaths: readonly string[]): readonly string[] {
  const found = findProtectedFiles(path);
  if (found === null)
    return isCovered(path, protectedPaths) ? [`${path} is one of the protected_paths of the settings.`] : [];
  return [`${path} is ${found.kind}: its content ${EFFECT_TEXT[found.effect]}.`];
}

const EFFECT_TEXT = {
  'runs code': 'can run as code',
  'steers coding agents': 'steers coding agents',
  'steers coding agents and runs code': 'steers coding agents and can run as code',
} as const satisfies Record<ProtectedEffect, string>;
