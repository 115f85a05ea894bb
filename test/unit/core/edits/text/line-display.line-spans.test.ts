import { describe, expect, it } from 'vitest';
import { splitLine } from '../../../../../src/core/edits/text/line-display.ts';

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
  ])('in %s, %j has the text %j (X1)', (path, line, text) => {
    expect(textOf(path, line)).toEqual(text);
    expect(
      splitLine(line, path)
        .map((span) => span.text)
        .join(''),
    ).toBe(line);
  });
});
