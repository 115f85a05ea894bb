import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { applyUnifiedDiff } from '../../../../../src/core/edits/text/hunks.ts';

const diffOf = (...rows: readonly string[]): string => ['--- a/f', '+++ b/f', ...rows, ''].join('\n');

const NOTE = '\\ No newline at end of file';

describe('applyUnifiedDiff', () => {
  it.each([
    ['a line in the middle', 'a\nb\nc\n', diffOf('@@ -2,1 +2,1 @@', '-b', '+x'), 'a\nx\nc\n'],
    ['a CR in the diff', 'a\r\nb\n', diffOf('@@ -1,1 +1,1 @@', '-a\r', '+a'), 'a\nb\n'],
    ['an added final newline', 'a\nb', diffOf('@@ -2,1 +2,1 @@', '-b', NOTE, '+b'), 'a\nb\n'],
    ['lines at the end', 'a\n', diffOf('@@ -1,0 +2,1 @@', '+b'), 'a\nb\n'],
    ['a line that is one further down', 'a\nb\nc\n', diffOf('@@ -1,1 +1,1 @@', '-b', '+x'), null],
    ['a longer line', 'bb\n', diffOf('@@ -1,1 +1,1 @@', '-b', '+x'), null],
    ['a CR missing in the diff', 'a\r\n', diffOf('@@ -1,1 +1,1 @@', '-a', '+x'), null],
    ['a missing final newline', 'a', diffOf('@@ -1,1 +1,1 @@', '-a', '+x'), null],
    ['an empty line after the end', 'a\n', diffOf('@@ -1,2 +1,1 @@', ' a', '-', NOTE), null],
    ['a hunk after the end', 'a\n', diffOf('@@ -3,0 +3,1 @@', '+b'), null],
    ['a hunk before the previous one', 'a\nb\n', diffOf('@@ -2,1 +2,1 @@', '-b', '+c', '@@ -1,0 +1,1 @@', '+x'), null],
    ['a row after the hunk', 'a\nb\n', diffOf('@@ -1,1 +1,1 @@', '-a', '+x', '+y'), null],
    ['a row of no kind', 'a\n', diffOf('@@ -1,1 +1,1 @@', 'a'), null],
  ])('applies only at exactly the given lines: %s (B3)', (_, text, diff, after) => {
    expect(applyUnifiedDiff(text, diff)).toBe(after);
  });

  it('does not search for another place as applyPatch does (B4)', () => {
    const [text, diff] = ['new\na\nb\n', diffOf('@@ -2,1 +2,1 @@', '-b', '+x')];
    expect(applyPatch(text, diff, { fuzzFactor: 0, autoConvertLineEndings: false })).toBe('new\na\nx\n');
    expect(applyUnifiedDiff(text, diff)).toBeNull();
  });
});
