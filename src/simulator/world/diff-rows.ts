import type { Hunk } from '../git/line-diff.ts';

/** One line of a patch: `left` and `right` are its line numbers in the old and the new file. */
export type DiffRow = {
  readonly hunk: number;
  /** Lines below the first `@@`; the headers of later hunks count. */
  readonly position: number;
  readonly kind: 'context' | 'added' | 'removed';
  readonly left: number;
  readonly right: number;
};

/** Every line of a patch that can carry a comment. */
export function diffRows(hunks: readonly Hunk[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let position = -1;
  for (const [index, hunk] of hunks.entries()) {
    position += 1;
    let left = hunk.oldStart;
    let right = hunk.newStart;
    for (const line of hunk.lines) {
      position += 1;
      const kind = KINDS[line.charAt(0)];
      if (kind === undefined) continue;
      rows.push({ hunk: index, position, kind, left, right });
      if (kind !== 'added') left += 1;
      if (kind !== 'removed') right += 1;
    }
  }
  return rows;
}

/** The note on a missing newline is no line of the file. */
const KINDS: Readonly<Record<string, DiffRow['kind']>> = { ' ': 'context', '+': 'added', '-': 'removed' };

/**
 * Where the lines of one text are in another: a function from old line numbers to new
 * ones, null for lines that changed. `hunks` are those of a diff without context.
 */
export function lineMap(hunks: readonly Hunk[]): (line: number) => number | null {
  const rows = diffRows(hunks);
  const removed = new Set(rows.filter(({ kind }) => kind === 'removed').map(({ left }) => left));
  return (line) => {
    if (removed.has(line)) return null;
    // A row added in front of old line n carries `left` = n.
    const added = rows.filter(({ kind, left }) => kind === 'added' && left <= line).length;
    const gone = [...removed].filter((old) => old < line).length;
    return line + added - gone;
  };
}
