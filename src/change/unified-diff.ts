import { diffArrays } from 'diff';
import { isTerminated } from './lines.ts';

/** A run of lines that differs: `index` is the 0-based line of the old version at which it begins. */
export type Block = { readonly index: number; readonly old: readonly string[]; readonly new: readonly string[] };

/** What a diff is made of. `exists` says whether there was a file before; lines keep their terminators. */
export type DiffInput = {
  readonly path: string;
  readonly exists: boolean;
  readonly baseLines: readonly string[];
  readonly blocks: readonly Block[];
};

const CONTEXT = 3;
/** Differences beyond which two runs of lines are shown as one removed and the other added. */
const MOST_EDITS = 600;

/** A unified diff with three lines of context that `patch -p1` and `git apply` take. Blocks are in order and apart. */
export function unifiedDiff(input: DiffInput): string {
  const hunks: string[] = [];
  let growth = 0;
  for (const group of groupBlocks(input.blocks)) {
    const { text, grown } = formatHunk(input.baseLines, group, growth);
    hunks.push(text);
    growth = grown;
  }
  const from = input.exists ? `a/${headerName(input.path)}` : '/dev/null';
  return `--- ${from}\n+++ b/${headerName(input.path)}\n${hunks.join('')}`;
}

/** Splits a block into the lines that really differ. Work is bounded: where too much differs the block stays whole. */
export function refineBlock(block: Block): Block[] {
  const parts = diffArrays([...block.old], [...block.new], { maxEditLength: MOST_EDITS });
  if (parts === undefined) return [block];
  const blocks: { index: number; old: string[]; new: string[] }[] = [];
  let index = block.index;
  let open = false;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      index += part.value.length;
      open = false;
      continue;
    }
    if (!open) blocks.push({ index, old: [], new: [] });
    open = true;
    const last = blocks.at(-1);
    if (part.added) last?.new.push(...part.value);
    else {
      last?.old.push(...part.value);
      index += part.value.length;
    }
  }
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

function formatHunk(base: readonly string[], group: readonly Block[], growth: number): { text: string; grown: number } {
  const first = group[0]?.index ?? 0;
  const start = Math.max(0, first - CONTEXT);
  const rows: string[] = [];
  let at = start;
  let grown = growth;
  for (const block of group) {
    rows.push(...markLines(' ', base.slice(at, block.index)));
    rows.push(...markLines('-', block.old), ...markLines('+', block.new));
    at = block.index + block.old.length;
    grown += block.new.length - block.old.length;
  }
  const end = Math.min(base.length, at + CONTEXT);
  rows.push(...markLines(' ', base.slice(at, end)));
  const oldLines = end - start;
  const newLines = oldLines + grown - growth;
  const header = `@@ -${rangeText(start, oldLines)} +${rangeText(start + growth, newLines)} @@\n`;
  return { text: header + rows.join(''), grown };
}

function rangeText(index: number, lines: number): string {
  return `${lines === 0 ? index : index + 1},${lines}`;
}

function markLines(mark: ' ' | '-' | '+', lines: readonly string[]): string[] {
  return lines.map((line) => (isTerminated(line) ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`));
}
