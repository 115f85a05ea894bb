import { describe, expect, it } from 'vitest';
import { splitLine } from '../../../../../src/core/edits/misleading-text/line-syntax.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

/** The parts of a line that are text. */
function textOf(path: string, line: string): readonly string[] {
  return splitLine(line, path).flatMap(({ kind, text }) => (kind === 'text' ? [text] : []));
}

describe('splitLine', () => {
  it.each([
    ['a.ts', 'f("a\\"b", \'c\') // d', ['"a\\"b"', "'c'", '// d']],
    ['a.ts', 'a /* b */ c /* d', ['/* b */', '/* d']],
    ['a.ts', ' * inside of a comment', [' * inside of a comment']],
    ['a.ts', ' *pointer = 1', []],
    ['a.ts', 'class A { #a = 1 }', []],
    ['a.ts', 'x = "never closed // a', []],
    ['a.ts', "it don't end // a", ['// a']],
    ['a.py', "a = f'x'  # b", ["'x'", '# b']],
    ['a.py', 'a // b', []],
    ['a.sql', 'select 1 -- b', ['-- b']],
    ['a.ini', 'a=b ; c', ['; c']],
    ['a.tex', 'a % c', ['% c']],
    ['a.tsx', '<p className={a}>text</p>', ['text']],
    ['a.tsx', 'return level > score', []],
    ['a.tsx', 'map((a) => score', []],
    ['a.html', 'a <!-- b --> c', ['<!-- b -->']],
    ['README.md', '`a` "b" # c', ['`a` "b" # c']],
    ['deploy/Dockerfile', 'RUN x # y', ['# y']],
    ['a.ts', '  * a * b;', []],
    ['a.ts', '  * f("a b") && c', ['"a b"']],
    ['a.ts', '  * a // the b', ['// the b']],
    ['a.ts', ' * @param a', [' * @param a']],
    ['a.ts', ' * done */ a = "b";', [' * done */', '"b"']],
    ['a.ts', ' * a /* b */ + c;', ['/* b */']],
    ['a.c', ' */ a = 1;', [' */']],
    ['a.ts', 'x = /[/*]/.test(a)', []],
    ['a.ts', 'x = /["]/.test(a) + "b"', ['"b"']],
    ['a.tsx', 'return level>3 && score', []],
    ['a.tsx', '<p>a && b</p>', ['a && b']],
    ['a.tsx', '<p title="a">b c', ['"a"', 'b c']],
    ['a.tsx', '<p>a(b) && c', []],
    ['a.tsx', 'x<y && z>score', []],
    ['a.tsx', '  className="a">text</p>', ['"a"', 'text']],
    ['a.nix', 'base // a # b', ['# b']],
    ['a.f90', 'a // b // c ! d', ['! d']],
    ['a.unknown', 'a // b', []],
    ['a.unknown', '// a comment of words', ['// a comment of words']],
    ['a.css', 'a // b /* c */', ['/* c */']],
    ['a.rs', "fn f<'a>(x: b, y: &'a str) { 'c'; '\\'' }", ["'c'", "'\\''"]],
    ['a.cpp', "1'000 + a + 2'000", []],
    ['a.m', 'return n % a;', []],
    ['a.m', 'x = 1; % a', ['% a']],
    ['a.ts', 'f(`a \u0024{ b + "c" } d`)', ['`a \u0024{', '"c"', '} d`']],
    ['a.ts', 'f(`a \u0024{ b ? `c` : d } e`)', ['`a \u0024{', '`c`', '} e`']],
    ['a.ts', 'f("a \u0024{ b }")', ['"a \u0024{ b }"']],
    ['a.ts', '` + a + `', []],
    ['a.rb', 'puts "#{ a }"', ['"#{', '}"']],
    ['a.sh', 'echo "$( f (a) )" `b`', ['"$(', ')"']],
    ['a.py', 'print(f"{{a}} { b }", "{ c }")', ['"{{a}} {', '}"', '"{ c }"']],
    ['a.py', '""" + a + """', []],
    ['a.yml', 'run: "\u0024{{ a }} b"', ['"\u0024{{', '} b"']],
    ['a.swift', 'f("\\(a) b")', ['"\\(', ') b"']],
    ['requirements.txt', 'a # b', ['# b']],
  ])('in %s, %j has the text %j (X1)', (path, line, text) => {
    expect(textOf(path, line)).toEqual(text);
    expect(
      splitLine(line, path)
        .map((span) => span.text)
        .join(''),
    ).toBe(line);
  });

  it('takes time linear in the length of a line (X1)', () => {
    const pieces = [
      '"\\"',
      "a'",
      '> ',
      '/*',
      'é ',
      '<a b="é" ',
      '<a {é',
      'é>é',
      '`\u0024{é',
      '=/[é',
      '= /',
      '\\"\u0024{é',
      '"{{',
    ];
    const search = () => {
      for (const piece of pieces) {
        const line = piece.repeat(50_000 / piece.length);
        for (const path of ['a.tsx', 'a.html', 'a.py', 'a.m', 'a.sh', 'a.unknown']) {
          splitLine(line, path);
          splitLine(` * ${line}`, path);
        }
      }
    };
    expect(cpuSeconds(search)).toBeLessThan(10);
  });
});
