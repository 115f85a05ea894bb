import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHeading, findHunkHeading, isSectionHeading } from '../../../../src/core/edits/heading.ts';
import { createLineTable } from '../../../../src/core/edits/text/line-table.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

function heading(lines: readonly string[], index: number): string | null {
  return findHunkHeading(createLineTable(lines.join('')), index);
}

const BODY = ['  a\n', '  b\n', '  c\n', '  d\n'];

describe('findHunkHeading', () => {
  it.each<[string, string, string | null]>([
    ['a function', 'function total() {\n', 'function total() {'],
    ['an underscore', '_start:\n', '_start:'],
    ['a dollar sign', '$total = 0;\n', '$total = 0;'],
    ['a line with CRLF', 'class Shop {\r\n', 'class Shop {'],
    ['a line with spaces at its end', 'class Shop \t \n', 'class Shop'],
    ['a closing brace', '}\n', null],
    ['a comment', '// total\n', null],
    ['a digit', '1st\n', null],
    ['an indented line', ' function total() {\n', null],
    ['a letter beyond ASCII', 'été = 1\n', null],
    ['an empty line', '\n', null],
    ['a byte order mark', '\uFEFFclass Shop {\n', null],
    ['80 characters', `${'x'.repeat(80)}\n`, 'x'.repeat(80)],
    ['81 characters', `${'x'.repeat(81)}\n`, `${'x'.repeat(80)}…`],
    ['81 characters of two code units', `x${'😀'.repeat(80)}\n`, `x${'😀'.repeat(79)}…`],
  ])('%s (X8)', (_what, line, expected) => {
    expect(heading([line, ...BODY], 4)).toBe(expected);
  });

  it('the last such line above the context counts, and none in the context (X8)', () => {
    const lines = ['first\n', '  x\n', 'second\n', 'third\n', ...BODY];
    expect([3, 4, 5, 6, 7].map((index) => heading(lines, index))).toEqual([null, 'first', 'first', 'second', 'third']);
    expect(heading([], 0)).toBeNull();
    expect(heading(['\n', ...BODY], 4)).toBeNull();
  });

  it('equals git’s text after @@, for any lines (X8)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'heading-'));
    const line = fc.constantFrom('function f() {', '  indented', '}', '', '_x', '$y  ', '# no', 'label:', 'é', '\tz');
    try {
      fc.assert(
        fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), fc.nat(), (above, at) => {
          // Numbers make every line different, so that git has no choice where the hunk is.
          const lines = above.map((text, index) =>
            text === '' ? '\n' : `${text}${text.endsWith(' ') ? '' : index}\n`,
          );
          const index = at % lines.length;
          writeFileSync(join(folder, 'a'), lines.join(''));
          writeFileSync(join(folder, 'b'), lines.with(index, ' another line\n').join(''));
          expect(heading(lines, index) ?? '').toBe(gitHeading(folder));
        }),
        { numRuns: 40 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes linear time where no line is a heading, or one line is the whole file (X8)', () => {
    const indented = createLineTable('  x\n'.repeat(400_000));
    const single = createLineTable(`${'x'.repeat(1_900_000)}\n${'  x\n'.repeat(10)}`);
    expect(cpuSeconds(() => findHunkHeading(indented, 399_999))).toBeLessThan(1);
    expect(cpuSeconds(() => findHunkHeading(single, 8))).toBeLessThan(1);
  });
});

/** The text after the second `@@` of the only hunk; `git diff --no-index` exits with 1 for two different files. */
function gitHeading(folder: string): string {
  const args = ['-c', 'core.attributesFile=/dev/null', 'diff', '--no-index', '--no-color', 'a', 'b'];
  try {
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return /^@@ .* @@ ?(.*)$/m.exec(output)?.[1] ?? '';
  }
  return '';
}

describe('findHeading', () => {
  const markdown = (text: string): string | null => {
    const lines = createLineTable(`${text}\nlast\n`);
    return findHeading('docs/a.md', lines, lines.lineCount - 1);
  };

  it.each([
    ['the section', '# Shop\n\n## Usage\n\nText', '## Usage'],
    ['right above', '# Shop\nText\n## Usage', '## Usage'],
    ['with CRLF and spaces', '  ## Usage \t\r', '## Usage'],
    ['underlined', 'Shop\n====\n\nUsage\n---', '## Usage'],
    ['underlined by equals signs', '# A\n\nUsage\n===', '# Usage'],
    ['80 characters of a long one', `# ${'x'.repeat(500)}`, `# ${'x'.repeat(78)}…`],
    ['not a comment in code', '# Shop\n```sh\n# install\n```', '# Shop'],
    ['not within longer fences', '# Shop\n````\n```\n# a\n````\n~~~\n# b\n```\n~~~', '# Shop'],
    ['not in code without an end', '# Shop\n```\n# install', '# Shop'],
    ['not in an HTML comment', '# Shop\n<!--\n# draft\n-->', '# Shop'],
    ['not front matter', '---\n# title\nname: a\n---\n\n# Shop', '# Shop'],
    ['not a tag, indented code or seven marks', '# Shop\n#tag\n    # code\n####### x', '# Shop'],
    ['not a rule below a list, a quote or a table', '# Shop\n- a\n---\n1. b\n---\n> c\n---\n| d\n---', '# Shop'],
    ['not a rule below a heading or a blank line', '# Shop\n---\n\n---', '# Shop'],
  ])('in Markdown it is the heading of the section: %s (S161, X8)', (_, text, expected) => {
    const found = markdown(text);
    expect(found).toBe(expected);
    expect(isSectionHeading('docs/a.md', found ?? '')).toBe(true);
  });

  it('without one it is git’s line, which nobody calls a heading (S161, X8)', () => {
    const found = markdown('Text\n\na\n\nb\n\n');
    expect(found).toBe('a');
    expect(isSectionHeading('docs/a.md', 'a')).toBe(false);
    const code = createLineTable(['# a comment\n', 'total() {\n', ...BODY].join(''));
    expect(findHeading('src/a.py', code, 5)).toBe('total() {');
    expect(isSectionHeading('src/a.py', '# a comment')).toBe(false);
  });

  it.each([
    ["import { a } from './a.ts';", null],
    ['import (', null],
    ['from os import path', null],
    ['use std::io;', null],
    ['importAll() {', 'importAll() {'],
    ['use_all() {', 'use_all() {'],
  ])('of an import it says nothing: %s (S161)', (line, expected) => {
    const lines = createLineTable([`${line}\n`, ...BODY].join(''));
    expect(findHeading('src/a.ts', lines, 4)).toBe(expected);
  });

  it('takes linear time for any Markdown (X8)', () => {
    for (const row of ['```\n', '`', '#', '-', '=', '<!--', '<!--\n', 'a\n-\n', ' ', '~~~\n'])
      expect(
        cpuSeconds(() => markdown(row.repeat(Math.floor(1_900_000 / row.length)))),
        row,
      ).toBeLessThan(2);
  });
});
