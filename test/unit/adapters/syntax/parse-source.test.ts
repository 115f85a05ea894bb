import { describe, expect, it, vi } from 'vitest';
import { findDeclarations, languageOf, parseSource } from '../../../../src/adapters/syntax/parse-source.ts';
import { formatOutline } from '../../../../src/core/agent/tools/outline.ts';
import { encodeText } from '../../../../src/core/edits/text/characters.ts';

async function outline(path: string, lines: readonly string[]): Promise<readonly string[]> {
  const text = `${lines.join('\n')}\n`;
  const found = await findDeclarations({ path, text });
  return formatOutline({ path, blob: 'b'.repeat(40), bytes: encodeText(text) }, found)
    .split('\n')
    .slice(1);
}

/** A file of each language, with the lines that its outline has. `-` marks a line that is not in it. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  'a.ts': [
    "-import x from 'x';",
    'export class A<T> extends B {',
    '  static count = 1;',
    '  get y() { return 1; }',
    '-}',
    'const f = () => {',
    '-  const inner = 1;',
    '-};',
    'export default function g() {}',
    'interface I {',
    '  m(): void;',
    '-}',
    'type X = 1;',
    'enum E { A }',
    'namespace N {',
    '  export function q() {}',
    '-}',
    "-describe('x', () => {",
    '-  const no = 1;',
    '-});',
    '-run(no);',
  ],
  'a.tsx': ['export function View() {', '-  return <p>hi</p>;', '-}'],
  'a.jsx': ['class A {', '  m() {}', '-}', 'function* g() {}', 'var v = 1;'],
  'a.py': [
    '-import os',
    '-@dec',
    'def f(a):',
    '-  pass',
    'class A(B):',
    '-  y: int = 1',
    '  async def n(self):',
    '-    pass',
  ],
  'A.java': [
    ...['-package a;', '-@Deprecated', 'public class A {', '  int x;', '  A() {}'],
    ...['-  @Override', '  void m(int a) {}', '  enum E { X }', '-}'],
  ],
  'old.c': ['-static char *', 'name(int a)', '-{', '-}'],
  'a.go': [
    '-package a',
    'const C = 1',
    'type T struct {',
    '-  a int',
    '-}',
    'func (t *T) M() {}',
    'func F[X any](a X) {}',
  ],
  'a.cpp': [
    '-#include <a>',
    '#define M 1',
    'namespace n {',
    '  class A {',
    '-  public:',
    '    void m();',
    '-  };',
    '-}',
    '-template <class T>',
    'T g(T a) { return a; }',
    'int A::m() {}',
  ],
  'a.h': ['struct s {', '  int a;', '-};', 'int f(int a);'],
  'A.cs': ['namespace N {', '  class A {', '    int P { get; set; }', '    void M() {}', '-  }', '-}'],
  'a.php': [
    '-<?php',
    'class B extends C {',
    '  const X = 1;',
    '  public function m() {}',
    '-}',
    'function f() {}',
    'trait T {}',
  ],
  'a.rb': [
    'module M',
    '  class A < B',
    '-    X = 1',
    '    def m(a)',
    '-    end',
    '    def self.s; end',
    '-  end',
    '-end',
  ],
  'a.rs': [
    'mod m {',
    '  pub fn f() {}',
    '-}',
    'struct S { a: i32 }',
    'impl S {',
    '  pub fn n(&self) {}',
    '-}',
    'macro_rules! x { () => {} }',
  ],
};

describe('findDeclarations (S143)', () => {
  it.each(Object.entries(SAMPLES))('lists the declarations of %s with their lines (S143)', async (path, marked) => {
    const lines = marked.map((line) => line.replace(/^-/, ''));
    const expected = marked.flatMap((line, index) => (line.startsWith('-') ? [] : [`${index + 1}: ${line}`]));
    expect(await outline(path, lines)).toEqual(expected);
  });

  it('gives nothing for other languages, so that the outline has the lines at column 0 (S143)', async () => {
    expect(await findDeclarations({ path: 'Makefile', text: 'all:\n' })).toBeNull();
    expect(await outline('notes.md', ['# Shop', '', '  more', '}', 'x'])).toEqual(['1: # Shop', '5: x']);
  });

  it('hides secrets and bounds the rows (S143, X10)', async () => {
    const token = `ghp_${'aB3d'.repeat(9)}`;
    const shown = await outline('a.ts', [`const token = '${token}';`, `const long = '${'x'.repeat(500)}';`]);
    expect(shown[0]).toBe("1: const token = '[redacted]';");
    expect(shown[1]?.length).toBeLessThan(180);
    expect(await outline('a.js', Array(900).fill('var v = 1;'))).toHaveLength(500);
  });

  it('counts the work of its own thread, and not the time that passes on a busy machine (S143)', async () => {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => clock.mock.calls.length * 1_000);
    expect(await findDeclarations({ path: 'a.ts', text: 'let a = 1;\n'.repeat(1_000) })).toHaveLength(1_000);
    clock.mockRestore();
  });

  it.each([
    ['nested brackets', 'a.ts', '[[[{('.repeat(80_000)],
    ['open braces', 'a.rs', '{'.repeat(300_000)],
    ['errors everywhere', 'a.go', 'class A { foo(x) { return 1 } }\n'.repeat(5000)],
    ['half of a surrogate pair', 'a.py', `x = "\u{D800}"\n`],
    ['NUL bytes', 'a.rb', '\0'.repeat(10_000)],
    ['too much text', 'a.ts', 'let a = 1;\n'.repeat(100_000)],
  ])('a hostile file (%s) ends in time, with declarations or without (S143)', async (_, path, text) => {
    const started = performance.now();
    const found = await findDeclarations({ path, text });
    expect(found === null || Array.isArray(found)).toBe(true);
    await parse(path, text);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(await findDeclarations({ path, text: 'x' })).not.toBeNull();
  });
});

describe('parseSource', () => {
  it.each(Object.entries(SAMPLES))('finds no error in %s (S143, S148)', async (path, marked) => {
    const text = `${marked.map((line) => line.replace(/^-/, '')).join('\n')}\n`;
    expect(await parse(path, text)).toEqual({ kind: 'parsed' });
  });

  it.each([
    ['a.ts', 'let a = 1;\nlet b = ;\n', 2],
    ['a.ts', 'function f() {\n  return 1;\n', 1],
    ['a.py', 'def f():\n  return 1\n\ndef g(:\n  pass\n', 4],
    ['a.go', 'package a\n\nfunc F() {\n\tx := \n}\n', 4],
    ['A.java', 'class A {\n  int x\n}\n', 2],
    ['a.rs', 'fn f() {\n  let = 1;\n}\n', 2],
  ])('finds the line of the first one in %s: %j (S143, S148)', async (path, text, line) => {
    const found = await parse(path, text);
    expect(found.kind).toBe('failed');
    expect(Math.abs((found.kind === 'failed' ? found.line : 0) - line)).toBeLessThanOrEqual(1);
  });

  it('says what is missing where the grammar knows it (S148)', async () => {
    expect(await parse('a.ts', 'f(1;\n')).toEqual({ kind: 'failed', line: 1, what: 'missing )' });
  });

  it('gives up on a text that is too large, which says nothing about it (S148)', async () => {
    expect(await parse('a.ts', '(('.repeat(300_000))).toEqual({ kind: 'gave-up' });
  });
});

function parse(path: string, text: string): ReturnType<typeof parseSource> {
  const language = languageOf(path);
  if (language === null) throw new Error(`no grammar for ${path}`);
  return parseSource(language, text);
}
