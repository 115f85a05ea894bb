import { describe, expect, it } from 'vitest';
import { patched } from '../../src/change/patched.ts';
import { cpuSeconds } from '../cpu-time.ts';
import { editOf, shownDiff } from './samples.ts';

const diffOf = (...rows: readonly string[]): string => ['--- a/f', '+++ b/f', ...rows, ''].join('\n');
const NOTE = '\\ No newline at end of file';

describe('patched', () => {
  it.each([
    ['a line in the middle', 'a\nb\nc\n', diffOf('@@ -2,1 +2,1 @@', '-b', '+x'), 'a\nx\nc\n'],
    ['a CR that is shown', 'a\r\nb\n', diffOf('@@ -1,1 +1,1 @@', '-a\r', '+a'), 'a\nb\n'],
    ['a last line that gets its end', 'a\nb', diffOf('@@ -2,1 +2,1 @@', '-b', NOTE, '+b'), 'a\nb\n'],
    ['lines at the end', 'a\n', diffOf('@@ -1,0 +2,1 @@', '+b'), 'a\nb\n'],
    ['a line that stands one further', 'a\nb\nc\n', diffOf('@@ -1,1 +1,1 @@', '-b', '+x'), null],
    ['a line that goes on', 'bb\n', diffOf('@@ -1,1 +1,1 @@', '-b', '+x'), null],
    ['a CR that is not shown', 'a\r\n', diffOf('@@ -1,1 +1,1 @@', '-a', '+x'), null],
    ['a last line without its end', 'a', diffOf('@@ -1,1 +1,1 @@', '-a', '+x'), null],
    ['an empty line behind the end', 'a\n', diffOf('@@ -1,2 +1,1 @@', ' a', '-', NOTE), null],
    ['a hunk behind the end', 'a\n', diffOf('@@ -3,0 +3,1 @@', '+b'), null],
    ['a hunk above the one before', 'a\nb\n', diffOf('@@ -2,1 +2,1 @@', '-b', '+c', '@@ -1,0 +1,1 @@', '+x'), null],
    ['a row of no kind', 'a\n', diffOf('@@ -1,1 +1,1 @@', 'a'), null],
  ])('B3: takes what stands exactly where it says, and nothing else: %s', (_, text, diff, after) => {
    expect(patched(text, diff)).toBe(after);
  });

  it('H6: lines that the diff does not show are not taken one by one', () => {
    const text = `${'a\n'.repeat(990_000)}b\n`;
    const diff = shownDiff(editOf(text, 'b', 'c'));
    const apply = () => {
      for (let times = 0; times < 30; times += 1) expect(patched(text, diff)?.endsWith('a\nc\n')).toBe(true);
    };
    expect(cpuSeconds(apply)).toBeLessThan(2.5);
  });
});
