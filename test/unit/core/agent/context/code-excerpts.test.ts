import { expect, it } from 'vitest';
import {
  boundExcerpts,
  excerptsAround,
  formatExcerpts,
  namedPlaces,
  quotedNames,
} from '../../../../../src/core/agent/context/code-excerpts.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

/** A file of so many lines, `line 1` and so on. */
const textOf = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

/** A class with a short field, a method, and a method that is too long. */
const DECLARATIONS = [
  { line: 10, named: 10, last: 390 },
  { line: 12, named: 12, last: 12 },
  { line: 20, named: 21, last: 29 },
  { line: 40, named: 40, last: 380 },
];

/** The first and last line of each excerpt around commented lines and names. */
function around(commented: readonly number[], ...names: readonly string[]): readonly (readonly number[])[] {
  const source = { path: 'a.ts', text: textOf(400), declarations: DECLARATIONS, names: new Set(names) };
  const found = excerptsAround(source, commented);
  return found.map(({ first, lines }) => [first, first + lines.length - 1]);
}

it('R41: the code around a line is the innermost function and what stands above it; of a long one 80 lines with the commented one', () => {
  expect(around([25])).toEqual([[17, 29]]);
  expect(around([40])).toEqual([[37, 116]]);
  expect(around([200])).toEqual([[160, 239]]);
  expect(around([380])).toEqual([[301, 380]]);
  expect(around([], '21')).toEqual([[17, 29]]);
});

it('R41: lines outside of functions come with ten lines before and after; no lines come twice', () => {
  expect(around([4])).toEqual([[1, 14]]);
  expect(around([400])).toEqual([[390, 400]]);
  expect(around([25, 21, 500])).toEqual([[17, 29]]);
  expect(around([150, 25, 100])).toEqual([
    [17, 29],
    [60, 189],
  ]);
});

it('R41: all excerpts together have 16 kB, and hide secrets', () => {
  const token = `ghp_${'aB3d'.repeat(9)}`;
  const common = {
    text: `const a = '${token}';\n${'x'.repeat(3_000)}\n`,
    declarations: null,
    names: new Set<string>(),
  };
  const found = Array.from({ length: 30 }, (_, n) => excerptsAround({ ...common, path: `${n}.ts` }, [1]));
  const excerpts = boundExcerpts(found.flat());
  expect(byteLength(formatExcerpts(excerpts))).toBeLessThan(16_100);
  expect(formatExcerpts(excerpts)).toMatch(/^0\.ts:\n1\tconst a = '\[redacted\]';\n2\txxx/);
});

it('a task or a log in it names places, by a whole path or by one that means a single file', () => {
  const paths = ['a.go', 'cmd/a.go', 'src/b_test.go', 'web/src/c.ts'];
  const log =
    'b_test.go:12: wrong\n  at run (/home/ci/shop/web/src/c.ts:3:9)\nsrc/c.ts(4,1): error\na.go:5 b.go:6 ./cmd/a.go:7 10:30';
  expect(namedPlaces(log, paths).map(({ path, line }) => `${path} ${line}`)).toEqual([
    ...['src/b_test.go 12', 'web/src/c.ts 3', 'web/src/c.ts 4', 'cmd/a.go 7'],
  ]);
  const frames = Array.from({ length: 30 }, (_, n) => `at node_modules/run/d.js:${n}:1 (./a.go:5)\n`).join('');
  expect(namedPlaces(`${frames}${log}`, paths)).toHaveLength(5);
  expect(cpuSeconds(() => void namedPlaces('a'.repeat(60_000), paths))).toBeLessThan(1);
  expect(namedPlaces('Split `run` in src/b_test.go.', paths)).toMatchObject([{ line: null }]);
  expect([...quotedNames('`Reader::read`, `total()` and `a b`')]).toEqual(['read', 'total']);
});
