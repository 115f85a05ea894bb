import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lettersOf } from '../../src/change/letters.ts';
import { nearMatches } from '../../src/change/near-match.ts';
import { similarityTo } from '../../src/change/similarity.ts';
import { isBlank, squeeze } from '../../src/change/squeezed.ts';

const piece = fc.constantFrom('a', 'b', 'ab', ' ', '  ', '\t', '\r', '\u{A0}', '\u{3000}', '上', 'price(order)');
const line = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));

/** Few letters, no two pairs of which are counted as one. */
const word = fc
  .array(fc.constantFrom('a', 'b', 'ab', ' ', 'price(order)'), { maxLength: 9 })
  .map((pieces) => pieces.join(''));

describe('what resembles a text', () => {
  it('white space is what a pattern calls so', () => {
    const different = [...Array(0x10000).keys()].filter(
      (unit) => isBlank(unit) !== /\s/.test(String.fromCharCode(unit)),
    );
    expect(different).toEqual([]);
    expect(
      [...Array(0x10000).keys()]
        .filter(isBlank)
        .map((unit) => String.fromCharCode(unit))
        .join('')
        .trim(),
    ).toBe('');
  });

  it('S5: runs of white space are one blank, and none at either end', () => {
    fc.assert(
      fc.property(line, line, line, (before, text, after) => {
        const into = new Uint16Array(200);
        const all = lettersOf(before + text + after);
        const length = squeeze(all, before.length, before.length + text.length, into);
        expect(String.fromCharCode(...into.subarray(0, length))).toBe(text.trim().replace(/\s+/g, ' '));
      }),
      { numRuns: 2000 },
    );
  });

  it('S5: is known by the neighbouring letters that both have, counted as often as both have them', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 4 }), (text, others) => {
        const score = similarityTo(lettersOf(text));
        const pairs = (whole: string) =>
          [...Array(Math.max(0, whole.length - 1)).keys()].map((at) => whole.slice(at, at + 2));
        for (const other of others) {
          const left = pairs(text);
          const shared = pairs(other).filter((pair) => left.includes(pair) && left.splice(left.indexOf(pair), 1));
          const parts = pairs(text).length + pairs(other).length;
          const few = text.length < 2 || other.length < 2;
          const expected = text === other ? 1 : few ? 0 : (2 * shared.length) / parts;
          // Compared in any order, and what follows the other's letters does not count.
          expect(score(lettersOf(`${other}ab`), other.length)).toBe(expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('S5: is found where it stands in a large file, however much of it comes before', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `const total${at} = price(order${at * 7919}, currency, rounding, discountOf(order${at}));`,
    );
    const sought = (lines[19_500] ?? '').replace('const', 'let');
    const [best] = nearMatches(lines.join('\n'), sought);
    expect(best).toMatchObject({ line: 19_501, text: lines[19_500] });
  });

  it('S5: is found among many that share their longest line', () => {
    const cases = Array.from({ length: 200 }, (_, at) => [
      `it('case ${at}', () => {`,
      `  const got = run(${at * 7});`,
      "  expect(got.results[0].value.toString()).toEqual('true');",
      '});',
    ]);
    const text = cases.map((lines) => `${lines.join('\n')}\n`).join('\n');
    const sought = (cases[150] ?? []).join('\n').replace('const got', 'const result');
    expect(nearMatches(text, sought)[0]).toMatchObject({ line: 150 * 5 + 1, text: cases[150]?.join('\n') });
  });

  it('S5: names its line and gives it as it stands, whatever its ends; no line behind the 100,000th', () => {
    const text = `\r\nfirst total = price( order )\t\r\n\n${'x\n'.repeat(99_996)}`;
    const found = nearMatches(
      `${text}second total = price(order)\nthird total = price(order)\n`,
      'total = price(order)',
    );
    expect(found.map(({ line, text }) => ({ line, text }))).toEqual([
      { line: 100_000, text: 'second total = price(order)' },
      { line: 2, text: 'first total = price( order )\t' },
    ]);
  });
});
