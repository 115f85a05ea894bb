import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { createFileSearch, findQueryProblem, type SearchQuery } from '../../../../../src/core/agent/tools/search.ts';
import { encodeText } from '../../../../../src/core/edits/text/characters.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

function regex(query: string, ignoreCase = false): SearchQuery {
  return { query, regex: true, ignoreCase, context: 0 };
}

/** The numbers of the lines that match. */
function linesOf(query: SearchQuery, text: string): readonly number[] {
  const found = createFileSearch(query)({ path: 'a', bytes: encodeText(text) });
  return typeof found === 'string' || found === null ? [] : found.hits.flat().map(({ line }) => line);
}

describe('a pattern', () => {
  it('matches within one line, with anchors at its ends (S142)', () => {
    const text = 'let total = 0;\r\nlet totals = [];\n\n  total += 1;';
    expect(linesOf(regex('^let \\w+ = .*;$'), text)).toEqual([1, 2]);
    expect(linesOf(regex('\\btotal\\b'), text)).toEqual([1, 4]);
    expect(linesOf(regex('0;\\s+let'), text)).toEqual([]);
    expect(linesOf(regex('^$'), text)).toEqual([3]);
    expect(linesOf(regex('TOTAL', true), text)).toEqual([1, 2, 4]);
    expect(linesOf({ query: 'LET TOTAL =', regex: false, ignoreCase: true, context: 0 }, text)).toEqual([1]);
    expect(linesOf({ query: '[];', regex: false, ignoreCase: true, context: 0 }, text)).toEqual([2]);
  });

  it('finds the lines that the language’s own expressions find (S142)', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', 'é', '1');
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const pattern = fc
      .array(fc.constantFrom('a', 'b+', '(ab|1)', '[^a]', '.', '^', '$', '\\d*', '\\s', 'é?'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(pattern, text, (query, lines) => {
        const expected = lines
          .split('\n')
          .flatMap((line, index) => (new RegExp(query, 'u').test(line) ? [index + 1] : []));
        const own =
          lines.endsWith('\n') || lines === '' ? expected.filter((line) => line < lines.split('\n').length) : expected;
        expect(linesOf(regex(query), lines)).toEqual(own);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['(x+', 'missing closing )'],
    ['a{1001}', 'invalid repeat count'],
    ['a{0,100000000}', 'invalid repeat count'],
    ['((a{100}){100}){100}', 'invalid repeat count'],
    ['(a{1000}){1000}', 'invalid repeat count'],
    ['(?=a)b', 'no look-around'],
    ['(a)\\1', 'no back-references'],
    ['(a?){500}a{500}', 'is too large (2502 steps of 1000)'],
    ['[\\pL\\pN]{999}x{100}', 'is too large'],
  ])('%s is refused with a sentence (S142)', (query, words) => {
    const problem = findQueryProblem(regex(query.slice(0, 500)));
    expect(problem).toMatch(/^Nothing was searched: /);
    expect(problem).toContain(words);
    expect((problem ?? '').length).toBeLessThan(400);
  });

  it('no expression makes the check fail or take long (S142)', () => {
    const piece = fc.constantFrom(
      ...['(', ')', '[', ']', '{2}', '{1000}', '{999,1000}', '*', '+', '?', '|', 'a', '\\pL', '\\', '.', '^'],
      ...['(?i)', '[^'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, ignoreCase) => {
        const query = { query: pieces.join('').slice(0, 500) || 'a', regex: true, ignoreCase, context: 0 };
        const problems: (string | null)[] = [];
        expect(cpuSeconds(() => void problems.push(findQueryProblem(query)))).toBeLessThan(1);
        if (problems[0] === null) expect(linesOf(query, 'ab\nc\n').length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['(x+x+)+y', '(a|aa)+$', '.*.*.*.*z', '(.{0,30}){15}x', '([ab]?){150}[ab]{150}c'])(
    '%s takes time in proportion to the text (S142)',
    (query) => {
      expect(findQueryProblem(regex(query))).toBeNull();
      expect(cpuSeconds(() => linesOf(regex(query), `${'ab'.repeat(20_000)}\n`))).toBeLessThan(3);
    },
  );

  it('literal text is never read as a pattern (S142)', () => {
    expect(findQueryProblem({ query: '(x+', regex: false, ignoreCase: true, context: 0 })).toBeNull();
    expect(RE2JS.quote('(x+')).toBe('\\(x\\+');
  });
});
