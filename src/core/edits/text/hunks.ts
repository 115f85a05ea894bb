import { createLineTable, type LineTable } from './line-table.ts';
import { lineEnd } from './lines.ts';

/** A line of a hunk without its marker and its LF; a CR stays. Context is on both sides. */
export type HunkLine = { readonly kind: 'context' | 'removed' | 'added'; readonly text: string };

/** A hunk of a unified diff. Starts are 1-based; a side of 0 lines has the number of the line before it. */
export type DiffHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly HunkLine[];
};

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const LINE_KINDS: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'context', '-': 'removed', '+': 'added' };

/**
 * Reads the hunks of one file's diff, with or without file headers. The counts in a hunk's header tell where it ends,
 * so content that looks like a header stays content. A hunk that is truncated or contradicts its header is left out.
 */
export function parseHunks(patch: string): DiffHunk[] {
  const rows = patch.split('\n');
  const hunks: DiffHunk[] = [];
  for (let index = 0; index < rows.length; ) {
    const header = HUNK_HEADER.exec(rows[index] ?? '');
    index += 1;
    if (header === null) continue;
    const read = readHunk(rows, index, header);
    if (read === null) continue;
    hunks.push(read.hunk);
    index = read.next;
  }
  return hunks;
}

/** The lines of the new version without terminators, starting at line `newStart`. */
export function newSideLines(hunk: DiffHunk): string[] {
  return hunk.lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
}

/** Rows that head what follows them: a file or a hunk. A removed line can look like one. */
const HEADER_ROW = /^(?:@@ |--- |\+\+\+ |diff of )/;

/** Headers in a row: of a file, and of its first hunk. */
const MAX_HEADER_ROWS = 4;

/**
 * Where to cut rows of a diff, at `end` or before it: not between a header and what it heads, so that no reader takes
 * an empty hunk for the whole. Rows from `from` on that are headers alone are cut at `end`.
 */
export function cutBeforeHeader(rows: readonly string[], end: number, from = 0): number {
  if (end >= rows.length) return rows.length;
  let cut = end;
  while (cut > Math.max(from, end - MAX_HEADER_ROWS) && HEADER_ROW.test(rows[cut - 1] ?? '')) cut -= 1;
  return cut === from ? end : cut;
}

function readHunk(
  rows: readonly string[],
  from: number,
  header: RegExpExecArray,
): { readonly hunk: DiffHunk; readonly next: number } | null {
  const [oldStart, oldLines, newStart, newLines] = header.slice(1, 5).map((count) => Number(count ?? 1));
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  const lines: HunkLine[] = [];
  const remaining = { old: oldLines, new: newLines };
  let next = from;
  while (remaining.old > 0 || remaining.new > 0) {
    const row = rows[next] ?? '';
    const kind = LINE_KINDS[row[0] ?? ''];
    next += 1;
    if (kind === undefined && row.startsWith('\\')) continue;
    if (kind === undefined) return null;
    if (kind !== 'added') remaining.old -= 1;
    if (kind !== 'removed') remaining.new -= 1;
    // More lines of one side than the header says.
    if (remaining.old < 0 || remaining.new < 0) return null;
    lines.push({ kind, text: row.slice(1) });
  }
  return { hunk: { oldStart, oldLines, newStart, newLines, lines }, next };
}

const EXACT_HUNK_HEADER = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/;

const NO_NEWLINE_NOTE = '\\ No newline at end of file';

/**
 * How far the old text was read, in lines and characters, and the new text so far. The text begins with the 0-based
 * line `firstIndex` of the file.
 */
type PatchState = {
  readonly old: LineTable;
  readonly firstIndex: number;
  line: number;
  offset: number;
  readonly output: string[];
};

/**
 * Applies a diff in our own format; null unless every line is exactly where the diff says. Only for checks: committed
 * bytes never come from it. Lines outside the hunks are copied in bulk. `text` can be a part of the file, from the
 * 0-based line `firstIndex` on.
 */
export function applyUnifiedDiff(text: string, diff: string, firstIndex = 0): string | null {
  const rows = diff.split('\n');
  if (rows.pop() !== '' || !rows[0]?.startsWith('--- ') || !rows[1]?.startsWith('+++ ')) return null;
  const state: PatchState = { old: createLineTable(text), firstIndex, line: 0, offset: 0, output: [] };
  for (let row = 2; row < rows.length; row += 1) {
    const line = rowWithTerminator(rows, row);
    if (line === null) continue;
    if (!(isHunkHeader(line) ? skipToHunk(state, line) : applyRow(state, line))) return null;
  }
  return state.output.join('') + text.slice(state.offset);
}

/** A row as a line of the file; null for the note about a missing newline. */
function rowWithTerminator(rows: readonly string[], row: number): string | null {
  const line = rows[row] ?? '';
  if (line === NO_NEWLINE_NOTE) return null;
  return rows[row + 1] === NO_NEWLINE_NOTE ? line : `${line}\n`;
}

function isHunkHeader(line: string): boolean {
  return line.startsWith('@@ ');
}

/**
 * Copies the lines before a hunk. Returns false if the hunk starts earlier than the current line or beyond the end.
 */
function skipToHunk(state: PatchState, line: string): boolean {
  const [, start, lines] = EXACT_HUNK_HEADER.exec(line.trimEnd()) ?? [];
  if (start === undefined) return false;
  const index = (Number(lines) === 0 ? Number(start) : Number(start) - 1) - state.firstIndex;
  if (index < state.line || index > state.old.lineCount) return false;
  const { text } = state.old;
  const offset = state.old.offsetAt(index);
  state.output.push(text.slice(state.offset, offset));
  [state.line, state.offset] = [index, offset];
  return true;
}

function applyRow(state: PatchState, row: string): boolean {
  const content = row.slice(1);
  if (row.startsWith('+')) {
    state.output.push(content);
    return true;
  }
  const { text } = state.old;
  const end = lineEnd(text, state.offset);
  if (state.offset === end || text.slice(state.offset, end) !== content) return false;
  if (row.startsWith(' ')) state.output.push(content);
  else if (!row.startsWith('-')) return false;
  [state.line, state.offset] = [state.line + 1, end];
  return true;
}
