import { MOST_PART_BYTES } from './limits.ts';
import { offsetAt } from './line-table.ts';
import { longRowBytes } from './long-row.ts';
import { leastLetters, numberLines } from './numbered-lines.ts';
import { diffTooLarge, muchTooLong, rowTooLong } from './refusals.ts';
import { CONTEXT } from './region.ts';
import { type Block, type DiffInput, refineBlock, unifiedDiff } from './unified-diff.ts';

/** A diff that people can review, or what the model is told where it is too long for that. */
export type ReviewableDiff =
  | { readonly kind: 'diff'; readonly diff: string }
  | { readonly kind: 'refused'; readonly output: string };

/** What is shown, but for the lines that differ. */
export type ShownFile = Omit<DiffInput, 'blocks'>;

/**
 * The diff of one run of lines. What must be refused however the lines are paired is refused before they are: pairing is
 * the dear part.
 */
export function diffOfRun(shown: ShownFile, run: Block): ReviewableDiff {
  const numbered = numberLines(run.old, run.new);
  const much = muchTooLong(shown.path, leastLetters(numbered));
  if (much !== null) return refused(much);
  return diffOfBlocks(shown, refineBlock(run, numbered));
}

/** The diff of runs of lines that are in order and apart. They are taken one by one, and none after the diff has become much too long. */
export function diffOfBlocks(shown: ShownFile, runs: Iterable<Block>): ReviewableDiff {
  const blocks: Block[] = [];
  let letters = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const block of runs) {
    letters += contextLetters(shown, end, block.index) + lettersOf(block.old) + lettersOf(block.new);
    const much = muchTooLong(shown.path, letters);
    if (much !== null) return refused(much);
    end = block.index + block.old.length;
    blocks.push(block);
  }
  const diff = unifiedDiff({ ...shown, blocks });
  const unfit = diffTooLarge(shown.path, diff) ?? lineTooLong(shown.path, diff);
  return unfit === null ? { kind: 'diff', diff } : refused(unfit);
}

/** Lines are not cut: one that no comment holds is found here, before anything of its response is shown. */
function lineTooLong(path: string, diff: string): string | null {
  const bytes = longRowBytes(diff, MOST_PART_BYTES);
  return bytes === null ? null : rowTooLong(path, bytes);
}

/** How many letters the lines between two blocks take that are shown, the headers of hunks apart. */
function contextLetters({ base }: ShownFile, end: number, index: number): number {
  const from = Math.max(0, index - CONTEXT);
  if (index - end <= 2 * CONTEXT) return offsetAt(base, index) - offsetAt(base, end) + index - end;
  const before = offsetAt(base, index) - offsetAt(base, from) + index - from;
  return end < 0 ? before : before + offsetAt(base, end + CONTEXT) - offsetAt(base, end) + CONTEXT;
}

function lettersOf(lines: readonly string[]): number {
  let letters = lines.length;
  for (const line of lines) letters += line.length;
  return letters;
}

function refused(output: string): ReviewableDiff {
  return { kind: 'refused', output };
}
