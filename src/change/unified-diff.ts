import { pairLines, UNPAIRED } from './line-diff.ts';
import { type LineTable, linesAt } from './line-table.ts';
import { isTerminated } from './lines.ts';
import { type NumberedLines, numberLines } from './numbered-lines.ts';
import { CONTEXT } from './region.ts';

/** A run of lines that differs: `index` is the 0-based line of the old version at which it begins. */
export type Block = { readonly index: number; readonly old: readonly string[]; readonly new: readonly string[] };

/** What a diff is made of. `exists` says whether there was a file before, `goes` whether there is none after; lines keep their terminators. */
export type DiffInput = {
  readonly path: string;
  readonly exists: boolean;
  readonly goes?: true;
  readonly base: LineTable;
  readonly blocks: readonly Block[];
};

/** A unified diff with three lines of context that `patch -p1` and `git apply` take. Blocks are in order and apart. */
export function unifiedDiff(input: DiffInput): string {
  const hunks: string[] = [];
  let growth = 0;
  for (const group of groupBlocks(input.blocks)) {
    const { text, grown } = formatHunk(input.base, group, growth);
    hunks.push(text);
    growth = grown;
  }
  const from = input.exists ? `a/${headerName(input.path)}` : '/dev/null';
  const to = input.goes ? '/dev/null' : `b/${headerName(input.path)}`;
  return `--- ${from}\n+++ ${to}\n${hunks.join('')}`;
}

/** Splits a block into the runs of lines that really differ; `lines` are the numbers of its own. */
export function refineBlock(block: Block, lines: NumberedLines = numberLines(block.old, block.new)): Block[] {
  const pairs = pairLines(lines);
  const blocks: Block[] = [];
  let [from, to] = [0, 0];
  const close = (index: number, other: number) => {
    if (index > from || other > to) {
      blocks.push({ index: block.index + from, old: block.old.slice(from, index), new: block.new.slice(to, other) });
    }
    [from, to] = [index + 1, other + 1];
  };
  for (const [index, other] of pairs.entries()) if (other !== UNPAIRED) close(index, other);
  close(block.old.length, block.new.length);
  return blocks;
}

/** The block without the lines that its sides begin and end with alike. */
export function trimBlock(block: Block): Block {
  const limit = Math.min(block.old.length, block.new.length);
  let head = 0;
  while (head < limit && block.old[head] === block.new[head]) head += 1;
  let tail = 0;
  while (tail < limit - head && block.old.at(-1 - tail) === block.new.at(-1 - tail)) tail += 1;
  return {
    index: block.index + head,
    old: block.old.slice(head, block.old.length - tail),
    new: block.new.slice(head, block.new.length - tail),
  };
}

/** A tab ends a name that holds a blank, or readers of diffs would end it there. */
function headerName(path: string): string {
  return path.includes(' ') ? `${path}\t` : path;
}

function groupBlocks(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const block of blocks) {
    if (block.index - end <= 2 * CONTEXT) groups.at(-1)?.push(block);
    else groups.push([block]);
    end = block.index + block.old.length;
  }
  return groups;
}

function formatHunk(base: LineTable, group: readonly Block[], growth: number): { text: string; grown: number } {
  const first = group[0]?.index ?? 0;
  const start = Math.max(0, first - CONTEXT);
  const rows: string[] = [];
  let at = start;
  let grown = growth;
  for (const block of group) {
    rows.push(marked(' ', linesAt(base, at, block.index)), marked('-', block.old), marked('+', block.new));
    at = block.index + block.old.length;
    grown += block.new.length - block.old.length;
  }
  const end = Math.min(base.count, at + CONTEXT);
  rows.push(marked(' ', linesAt(base, at, end)));
  const oldLines = end - start;
  const newLines = oldLines + grown - growth;
  const header = `@@ -${rangeText(start, oldLines)} +${rangeText(start + growth, newLines)} @@\n`;
  return { text: header + rows.join(''), grown };
}

function rangeText(index: number, lines: number): string {
  return `${lines === 0 ? index : index + 1},${lines}`;
}

/** Only the last line of all may not end. */
function marked(mark: ' ' | '-' | '+', lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const text = mark + lines.join(mark);
  return isTerminated(text) ? text : `${text}\n\\ No newline at end of file\n`;
}
