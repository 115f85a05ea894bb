import { splitLines } from '../../src/change/lines.ts';

const HEADER = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/;
const NO_NEWLINE = '\\ No newline at end of file\n';

/**
 * Applies a unified diff of one file as strictly as can be: every line that stands there must be the one that the diff
 * says, at the line that it says, and every count must be right. Throws otherwise.
 */
export function applyDiff(before: string, diff: string): string {
  const base = splitLines(before);
  const rows = splitLines(diff).slice(2);
  const after: string[] = [];
  let taken = 0;
  while (rows.length > 0) {
    const [oldStart = 0, oldLines = 0, newStart = 0, newLines = 0] = (
      HEADER.exec(rows.shift() ?? '') ?? fail('no header')
    )
      .slice(1)
      .map(Number);
    const from = oldLines === 0 ? oldStart : oldStart - 1;
    if (from < taken) fail('hunks overlap');
    after.push(...base.slice(taken, from));
    if (after.length !== (newLines === 0 ? newStart : newStart - 1)) fail('wrong new start');
    const hunk = takeHunk(rows);
    const old = hunk.filter(({ mark }) => mark !== '+').map(({ line }) => line);
    const fresh = hunk.filter(({ mark }) => mark !== '-').map(({ line }) => line);
    taken = from + oldLines;
    if (old.length !== oldLines || fresh.length !== newLines) fail('wrong counts');
    if (old.join('') !== base.slice(from, taken).join('')) fail('other lines stand there');
    after.push(...fresh);
  }
  return [...after, ...base.slice(taken)].join('');
}

function takeHunk(rows: string[]): { mark: string; line: string }[] {
  const hunk: { mark: string; line: string }[] = [];
  while (rows[0] !== undefined && !rows[0].startsWith('@@')) {
    const row = rows.shift() ?? '';
    const open = rows[0] === NO_NEWLINE;
    if (open) rows.shift();
    hunk.push({ mark: row.slice(0, 1), line: open ? row.slice(1, -1) : row.slice(1) });
  }
  return hunk;
}

function fail(why: string): never {
  throw new Error(`The diff does not apply: ${why}`);
}
