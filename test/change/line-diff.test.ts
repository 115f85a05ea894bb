import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullEffort, pairLines, UNPAIRED } from '../../src/change/line-diff.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { leastLetters, numberLines } from '../../src/change/numbered-lines.ts';
import { refineBlock, unifiedDiff } from '../../src/change/unified-diff.ts';
import { applyDiff } from './apply-diff.ts';
import { anyLine, anyText } from './samples.ts';

/** The length of the longest common subsequence, by the textbook's table. */
function mostPairs(old: readonly string[], fresh: readonly string[]): number {
  let row = new Array<number>(fresh.length + 1).fill(0);
  for (const line of old) {
    const next = [0];
    for (const [at, other] of fresh.entries()) {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** How many lines are paired; throws unless all pairs are of equal lines, in the order of both sides. */
function checkedPairs(old: readonly string[], fresh: readonly string[]): number {
  let last = UNPAIRED;
  let count = 0;
  for (const [index, other] of pairLines(numberLines(old, fresh)).entries()) {
    if (other === UNPAIRED) continue;
    if (other <= last || old[index] !== fresh[other]) throw new Error(`line ${index} is no pair of ${other}`);
    last = other;
    count += 1;
  }
  return count;
}

function diffOf(before: string, after: string): string {
  const blocks = refineBlock({ index: 0, old: splitLines(before), new: splitLines(after) });
  return unifiedDiff({ path: 'file.txt', exists: true, base: lineTable(before), blocks });
}

const numbered = (count: number, word: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${word(index)}\n`);

const COUNT = 20_000;
const unique = numbered(COUNT, (index) => `line ${index}`);
/** Every so many lines one that another file has many times, too. */
const repeated = numbered(COUNT, (index) => (index % 3 === 0 ? '' : index % 3 === 1 ? '}' : `call(${index % 700})`));
const moved = (lines: readonly string[], height: number) =>
  Array.from({ length: lines.length / height }, (_, at) => lines.slice(at * height, (at + 1) * height))
    .toReversed()
    .flat();

describe('pairing the lines of two versions', () => {
  it('S23: few lines are told apart with as few changes as there can be', () => {
    const lines = fc.array(anyLine, { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        expect(checkedPairs(old, fresh)).toBe(mostPairs(old, fresh));
      }),
    );
  });

  it('S23: any rewriting is a diff that applies strictly and gives the stored bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        expect(applyDiff(before, diffOf(before, after))).toBe(after);
      }),
    );
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['all different', unique, numbered(COUNT, (index) => `other ${index}`), 0],
    ['a third of them different', unique, unique.map((line, at) => (at % 3 === 0 ? `new ${at}\n` : line)), 13_333],
    ['each followed by a new one', unique, unique.flatMap((line) => [line, `new ${line}`]), COUNT],
    ['the other way round', unique, unique.toReversed(), 1],
    ['its halves changed over', unique, [...unique.slice(COUNT / 2), ...unique.slice(0, COUNT / 2)], COUNT / 2],
    ['repeated lines, blocks of them moved', repeated, moved(repeated, 50), 50],
    [
      'one of two lines, mixed differently',
      numbered(COUNT, (at) => `${at % 2}`),
      numbered(COUNT, (at) => `${at % 3}`),
      1,
    ],
  ])('H6, S23: 20,000 lines, %s', (_name, old, fresh, atLeast) => {
    expect(checkedPairs(old, fresh)).toBeGreaterThanOrEqual(atLeast);
    const effort = fullEffort();
    pairLines(numberLines(old, fresh), effort);
    expect(Math.min(effort.looks, effort.steps)).toBeGreaterThanOrEqual(0);
    const before = old.join('');
    const after = fresh.join('');
    expect(applyDiff(before, diffOf(before, after)) === after).toBe(true);
  });

  it('S23: the diff of a few lines applies to a file of very many', () => {
    const before = 'a\n'.repeat(400_000);
    const after = `${before.slice(0, 400_000)}b\n${before.slice(400_000)}`;
    expect(applyDiff(before, diffOf(before, after)) === after).toBe(true);
  });

  it('H6: whatever two versions hold, no more is done than the effort allows, and what is left over is still exact', () => {
    const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', 'e\n'), { maxLength: 60 });
    const allowed = fc.record({ steps: fc.nat({ max: 40 }), looks: fc.nat({ max: 60 }) });
    fc.assert(
      fc.property(lines, lines, allowed, (old, fresh, effort) => {
        const left = { ...effort };
        const pairs = pairLines(numberLines(old, fresh), left);
        expect(Math.min(left.looks, left.steps)).toBeGreaterThanOrEqual(0);
        const paired = [...pairs.entries()].filter(([, other]) => other !== UNPAIRED);
        for (const [index, other] of paired) expect(old[index]).toBe(fresh[other]);
        expect(paired.map(([, other]) => other)).toEqual(
          paired.map(([, other]) => other).toSorted((one, two) => one - two),
        );
      }),
    );
  });

  it('H6: the fewest letters of a diff are never more than it has', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const numbers = numberLines(splitLines(before), splitLines(after));
        expect(leastLetters(numbers)).toBeLessThanOrEqual(diffOf(before, after).length);
      }),
    );
  });

  it('a function moved above another is one removal and one insertion, not a mixture of both', () => {
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
