import { diffArrays } from 'diff';
import { countCommonLines, countLines, splitLines } from './lines.ts';

/** A line of a hunk without its marker and its LF; a CR stays. Context is on both sides. */
export type HunkLine = {
  readonly kind: 'context' | 'removed' | 'added';
  readonly text: string;
  /** Whether the file ends here, without a newline. */
  readonly isUnterminated: boolean;
};

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
    if (kind === undefined) return null;
    if (kind !== 'added') remaining.old -= 1;
    if (kind !== 'removed') remaining.new -= 1;
    // More lines of one side than the header says.
    if (remaining.old < 0 || remaining.new < 0) return null;
    const isUnterminated = rows[next + 1]?.startsWith('\\') ?? false;
    lines.push({ kind, text: row.slice(1), isUnterminated });
    next += isUnterminated ? 2 : 1;
  }
  return { hunk: { oldStart, oldLines, newStart, newLines, lines }, next };
}

/**
 * Applies a diff in our own format; null unless every line is exactly where the diff says, and no row is left over. Only
 * for checks: committed bytes never come from it.
 */
export function applyUnifiedDiff(text: string, diff: string): string | null {
  const lines = splitLines(text);
  const hunks = parseHunks(diff);
  if (!/^--- .*\n\+\+\+ .*\n/.test(diff) || countLines(diff) !== 2 + countRows(hunks)) return null;
  const pieces: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, lines: rows } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    if (start < at || start > lines.length) return null;
    pieces.push(lines.slice(at, start).join(''));
    at = start;
    for (const { kind, text: row, isUnterminated } of rows) {
      const line = isUnterminated ? row : `${row}\n`;
      if (kind !== 'added' && lines[at] !== line) return null;
      if (kind !== 'added') at += 1;
      if (kind !== 'removed') pieces.push(line);
    }
  }
  return pieces.join('') + lines.slice(at).join('');
}

/** The rows of hunks with their headers, and with the notes about a missing newline. */
function countRows(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + 1 + lines.length + lines.filter((one) => one.isUnterminated).length, 0);
}

/** Marks a deleted line. */
export const UNPAIRED = -1;

/** More differences make a longer diff than people can review. */
const MAX_EDITS = 1_000;

/**
 * For each old line the 0-based index of the new line that it became, rising, or `UNPAIRED`. The diff is minimal; lines
 * with more than 1,000 differences count as replaced.
 */
export function pairLines(old: readonly string[], newLines: readonly string[]): Int32Array {
  const pairs = new Int32Array(old.length).fill(UNPAIRED);
  const { head, tail } = countCommonLines(old, newLines);
  const [oldEnd, newEnd] = [old.length - tail, newLines.length - tail];
  for (let at = 0; at < head; at += 1) pairs[at] = at;
  for (let back = 1; back <= tail; back += 1) pairs[old.length - back] = newLines.length - back;
  const parts =
    head === oldEnd || head === newEnd
      ? []
      : (diffArrays(old.slice(head, oldEnd), newLines.slice(head, newEnd), { maxEditLength: MAX_EDITS }) ?? []);
  let [at, other] = [head, head];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) for (let step = 0; step < count; step += 1) pairs[at + step] = other + step;
    if (!added) at += count;
    if (!removed) other += count;
  }
  return pairs;
}
