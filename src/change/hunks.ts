/** One line of a hunk, without its mark and its LF; a CR at its end is kept. Context stands on both sides. */
export type HunkLine = { readonly side: 'both' | 'left' | 'right'; readonly text: string };

/** A hunk of a unified diff. Starts are 1-based; a side of 0 lines has the number of the line before it. */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly HunkLine[];
};

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const SIDES: Readonly<Record<string, HunkLine['side']>> = { ' ': 'both', '-': 'left', '+': 'right' };

/**
 * Reads the hunks of a diff of one file, with or without file headers before them. Lines are taken by the counts
 * of the hunk's header, so content that looks like a header is content. A hunk that is cut short is left out.
 */
export function parseHunks(patch: string): Hunk[] {
  const rows = patch.split('\n');
  const hunks: Hunk[] = [];
  for (let index = 0; index < rows.length; ) {
    const header = HEADER.exec(rows[index] ?? '');
    index += 1;
    if (header === null) continue;
    const read = readHunk(rows, index, header);
    if (read === null) continue;
    hunks.push(read.hunk);
    index = read.next;
  }
  return hunks;
}

/** The lines of the hunk's new version, without terminators; the first has the number `newStart`. */
export function rightLines(hunk: Hunk): string[] {
  return hunk.lines.filter(({ side }) => side !== 'left').map(({ text }) => text);
}

function readHunk(
  rows: readonly string[],
  from: number,
  header: RegExpExecArray,
): { readonly hunk: Hunk; readonly next: number } | null {
  const [oldStart, oldLines, newStart, newLines] = header.slice(1, 5).map((count) => Number(count ?? 1));
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  const lines: HunkLine[] = [];
  const left = { old: oldLines, new: newLines };
  let next = from;
  while (left.old > 0 || left.new > 0) {
    const row = rows[next] ?? '';
    const side = SIDES[row[0] ?? ''];
    next += 1;
    if (side === undefined && row.startsWith('\\')) continue;
    if (side === undefined) return null;
    if (side !== 'right') left.old -= 1;
    if (side !== 'left') left.new -= 1;
    lines.push({ side, text: row.slice(1) });
  }
  return { hunk: { oldStart, oldLines, newStart, newLines, lines }, next };
}
