import { splitLines } from '../../../../src/core/edits/text/lines.ts';

const HEADER = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/;

const NO_NEWLINE = '\\ No newline at end of file\n';

/** Applies a unified diff of one file strictly: throws unless every line, line number and count is exact. */
export function applyDiff(before: string, diff: string): string {
  const base = splitLines(before);
  const after: string[] = [];
  let consumed = 0;
  for (const { header, rows } of hunksOf(splitLines(diff).slice(2))) {
    const [oldStart = 0, oldLines = 0, newStart = 0, newLines = 0] = header;
    const from = oldLines === 0 ? oldStart : oldStart - 1;
    if (from < consumed) fail('hunks overlap');
    for (const line of base.slice(consumed, from)) after.push(line);
    if (after.length !== (newLines === 0 ? newStart : newStart - 1)) fail('wrong new start');
    const old = rows.filter(({ mark }) => mark !== '+').map(({ line }) => line);
    const newSide = rows.filter(({ mark }) => mark !== '-').map(({ line }) => line);
    consumed = from + oldLines;
    if (old.length !== oldLines || newSide.length !== newLines) fail('wrong counts');
    if (old.join('') !== base.slice(from, consumed).join('')) fail('different lines');
    for (const line of newSide) after.push(line);
  }
  return after.join('') + base.slice(consumed).join('');
}

type Row = { readonly mark: string; line: string };

type Hunk = { readonly header: readonly number[]; readonly rows: Row[] };

function hunksOf(rows: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const row of rows) {
    const hunk = hunks.at(-1);
    const last = hunk?.rows.at(-1);
    if (row.startsWith('@@') || hunk === undefined) {
      hunks.push({ header: (HEADER.exec(row) ?? fail('no header')).slice(1).map(Number), rows: [] });
    } else if (row === NO_NEWLINE && last !== undefined) last.line = last.line.slice(0, -1);
    else hunk.rows.push({ mark: row.slice(0, 1), line: row.slice(1) });
  }
  return hunks;
}

function fail(why: string): never {
  throw new Error(`The diff does not apply: ${why}`);
}
