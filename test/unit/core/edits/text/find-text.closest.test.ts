import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimilarity, findNearMatches } from '../../../../../src/core/edits/text/find-text.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

const word = fc
  .array(fc.constantFrom('a', 'b', 'ab', ' ', 'price(order)'), { maxLength: 9 })
  .map((pieces) => pieces.join(''));

describe('findNearMatches', () => {
  it('similarity is the share of common pairs of neighboring characters (S5)', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 4 }), (text, others) => {
        const score = createSimilarity(text);
        const pairs = (whole: string) =>
          [...Array(Math.max(0, whole.length - 1)).keys()].map((at) => whole.slice(at, at + 2));
        for (const other of others) {
          const left = pairs(text);
          const shared = pairs(other).filter((pair) => left.includes(pair) && left.splice(left.indexOf(pair), 1));
          const parts = pairs(text).length + pairs(other).length;
          const few = text.length < 2 || other.length < 2;
          const expected = text === other ? 1 : few ? 0 : (2 * shared.length) / parts;
          expect(score(other)).toBe(expected);
        }
      }),
      { numRuns: 700 },
    );
  });

  it('finds a line near the end of a large file (S5)', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `const total${at} = price(order${at * 7919}, currency, rounding, discountOf(order${at}));`,
    );
    const needle = (lines[19_500] ?? '').replace('const', 'let');
    const [best] = findNearMatches(lines.join('\n'), needle);
    expect(best).toMatchObject({ line: 19_501, text: lines[19_500] });
  });

  it('finds the right one of many places that share their longest line (S5)', () => {
    const cases = Array.from({ length: 200 }, (_, at) => [
      `it('case ${at}', () => {`,
      `  const got = run(${at * 7});`,
      "  expect(got.results[0].value.toString()).toEqual('true');",
      '});',
    ]);
    const text = cases.map((lines) => `${lines.join('\n')}\n`).join('\n');
    const needle = (cases[150] ?? []).join('\n').replace('const got', 'const result');
    expect(findNearMatches(text, needle)[0]).toMatchObject({ line: 150 * 5 + 1, text: cases[150]?.join('\n') });
  });

  it('returns line number and unchanged text (S5)', () => {
    const text = `\r\nfirst total = price( order )\t\r\n\n${'x\n'.repeat(9_996)}`;
    const found = findNearMatches(`${text}second total = price(order)\n`, 'total = price(order)');
    expect(found.map(({ line, text }) => ({ line, text }))).toEqual([
      { line: 10_000, text: 'second total = price(order)' },
      { line: 2, text: 'first total = price( order )\t' },
    ]);
  });

  it('takes bounded time in a file of 512 kB (H6)', () => {
    for (const line of ['x', 'const total = price(order);', 'y'.repeat(1_900)])
      expect(
        cpuSeconds(() => void findNearMatches(`${line}\n`.repeat(512_000 / line.length), `${line}z\n${line}\n`)),
      ).toBeLessThan(4);
  });
});
