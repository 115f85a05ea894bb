import { CONTEXT_LINES } from '../region.ts';
import { pairLines, UNPAIRED } from '../text/hunks.ts';
import { type LineTable, linesAt } from '../text/line-table.ts';
import { isTerminated } from '../text/lines.ts';

/** A run of lines that differs, starting at the 0-based line `index` of the old version. */
export type DiffBlock = { readonly index: number; readonly old: readonly string[]; readonly new: readonly string[] };

/** Splits a block into the runs that really differ. */
export function refineBlock(block: DiffBlock): DiffBlock[] {
  const pairs = pairLines(block.old, block.new);
  const blocks: DiffBlock[] = [];
  let [from, to] = [0, 0];
  const closeBlock = (index: number, other: number) => {
    if (index > from || other > to) {
      blocks.push({ index: block.index + from, old: block.old.slice(from, index), new: block.new.slice(to, other) });
    }
    [from, to] = [index + 1, other + 1];
  };
  for (const [index, other] of pairs.entries()) if (other !== UNPAIRED) closeBlock(index, other);
  closeBlock(block.old.length, block.new.length);
  return blocks;
}

/** Blocks are in order and do not touch. */
type DiffInput = {
  readonly path: string;
  /** The former path of a moved file. */
  readonly movedFrom?: string;
  readonly existedBefore: boolean;
  readonly isDeleted?: boolean;
  readonly base: LineTable;
  readonly blocks: readonly DiffBlock[];
};

/** A unified diff with three lines of context that `patch -p1` and `git apply` accept. */
export function formatUnifiedDiff(input: DiffInput): string {
  const hunks: string[] = [];
  let growth = 0;
  for (const group of groupBlocks(input.blocks)) {
    const { text, grown } = formatHunk(input.base, group, growth);
    hunks.push(text);
    growth = grown;
  }
  const from = input.existedBefore ? `a/${formatHeaderPath(input.movedFrom ?? input.path)}` : '/dev/null';
  const to = input.isDeleted ? '/dev/null' : `b/${formatHeaderPath(input.path)}`;
  return `--- ${from}\n+++ ${to}\n${hunks.join('')}`;
}

/** A tab ends a path with spaces; without it, readers of diffs end the path at the first space. */
function formatHeaderPath(path: string): string {
  return path.includes(' ') ? `${path}\t` : path;
}

/** Groups blocks whose context would meet: each group is one hunk. */
export function groupBlocks(blocks: readonly DiffBlock[]): readonly (readonly DiffBlock[])[] {
  const groups: DiffBlock[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const block of blocks) {
    if (block.index - end <= 2 * CONTEXT_LINES) groups.at(-1)?.push(block);
    else groups.push([block]);
    end = block.index + block.old.length;
  }
  return groups;
}

function formatHunk(base: LineTable, group: readonly DiffBlock[], growth: number): { text: string; grown: number } {
  const first = group[0]?.index ?? 0;
  const start = Math.max(0, first - CONTEXT_LINES);
  const rows: string[] = [];
  let at = start;
  let grown = growth;
  for (const block of group) {
    rows.push(
      prefixLines(' ', linesAt(base, at, block.index)),
      prefixLines('-', block.old),
      prefixLines('+', block.new),
    );
    at = block.index + block.old.length;
    grown += block.new.length - block.old.length;
  }
  const end = Math.min(base.lineCount, at + CONTEXT_LINES);
  rows.push(prefixLines(' ', linesAt(base, at, end)));
  const oldLines = end - start;
  const newLines = oldLines + grown - growth;
  const header = `@@ -${formatHunkRange(start, oldLines)} +${formatHunkRange(start + growth, newLines)} @@\n`;
  return { text: header + rows.join(''), grown };
}

function formatHunkRange(index: number, lines: number): string {
  return `${lines === 0 ? index : index + 1},${lines}`;
}

/** Only the last line of a file can be unterminated. */
function prefixLines(prefix: ' ' | '-' | '+', lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const text = prefix + lines.join(prefix);
  return isTerminated(text) ? text : `${text}\n\\ No newline at end of file\n`;
}
