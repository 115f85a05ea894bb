import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUnifiedDiff, refineBlock } from '../../../../../src/core/edits/build/unified-diff.ts';
import { pairLines, UNPAIRED } from '../../../../../src/core/edits/text/hunks.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../../../../src/core/edits/text/lines.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { applyDiff } from '../apply-diff.ts';
import { anyLine, anyText } from '../samples.ts';

/** The length of the longest common subsequence, by dynamic programming. */
function longestCommonSubsequence(old: readonly string[], newLines: readonly string[]): number {
  let row = new Array<number>(newLines.length + 1).fill(0);
  for (const line of old) {
    const next = [0];
    for (const [at, other] of newLines.entries()) {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The number of paired lines. Throws unless pairs are equal lines in the order of both sides. */
function checkedPairs(old: readonly string[], newLines: readonly string[]): number {
  let last = UNPAIRED;
  let count = 0;
  for (const [index, other] of pairLines(old, newLines).entries()) {
    if (other === UNPAIRED) continue;
    if (other <= last || old[index] !== newLines[other]) throw new Error(`line ${index} is no pair of ${other}`);
    last = other;
    count += 1;
  }
  return count;
}

function diffOf(before: string, after: string): string {
  const blocks = refineBlock({ index: 0, old: splitLines(before), new: splitLines(after) });
  return formatUnifiedDiff({ path: 'file.txt', existedBefore: true, base: createLineTable(before), blocks });
}

const numbered = (count: number, word: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${word(index)}\n`);

const COUNT = 20_000;

const unique = numbered(COUNT, (index) => `line ${index}`);

/** Many repeated lines, as in real code. */
const repeated = numbered(COUNT, (index) => (index % 3 === 0 ? '' : index % 3 === 1 ? '}' : `call(${index % 700})`));

const moved = (lines: readonly string[], height: number) =>
  Array.from({ length: lines.length / height }, (_, at) => lines.slice(at * height, (at + 1) * height))
    .toReversed()
    .flat();

describe('pairLines', () => {
  it('is minimal for few lines (S23)', () => {
    const lines = fc.array(anyLine, { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (old, newLines) => {
        expect(checkedPairs(old, newLines)).toBe(longestCommonSubsequence(old, newLines));
      }),
    );
  });

  it('gives a diff that applies strictly, for any texts (S23)', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        expect(applyDiff(before, diffOf(before, after))).toBe(after);
      }),
    );
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['all different', unique, numbered(COUNT, (index) => `other ${index}`), 0],
    ['a hundred of them different', unique, unique.map((line, at) => (at % 200 === 0 ? `new ${at}\n` : line)), 19_900],
    ['in reverse order', unique, unique.toReversed(), 0],
    ['repeated lines, blocks of them moved', repeated, moved(repeated, 50), 0],
  ])('20,000 lines, %s (H6, S23)', (_name, old, newLines, atLeast) => {
    const [before, after] = [old.join(''), newLines.join('')];
    expect(cpuSeconds(() => void pairLines(old, newLines))).toBeLessThan(4);
    expect(checkedPairs(old, newLines)).toBeGreaterThanOrEqual(atLeast);
    expect(applyDiff(before, diffOf(before, after)) === after).toBe(true);
  });

  it('shows a moved function as one deletion and one insertion', () => {
    const body = (name: string) => [`function ${name}() {\n`, ...numbered(6, (at) => `  ${name}${at}();`), '}\n', '\n'];
    const before = [...body('a'), ...body('b')];
    const after = [...body('b'), ...body('a')];
    const blocks = refineBlock({ index: 0, old: before, new: after });
    expect(blocks.map((block) => [block.old.length, block.new.length])).toEqual([
      [9, 0],
      [0, 9],
    ]);
  });
});
